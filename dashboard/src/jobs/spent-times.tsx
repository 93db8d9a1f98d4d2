import './spent-times.css'
import type { Job, JobExplanation } from '../../../client/farm-client.ts'
import { elementWords, frameWords } from '../../../core/jobs/explained-lines.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { Card, Shown } from '../ui/parts.tsx'
import { duration } from '../words/format.ts'
import { hasEnded } from './job-summary.ts'

/** Shows where an ended job's time went, in the words of `farm jobs explain`. */
export function SpentTimes({ job }: { job: Job }) {
  return hasEnded(job) ? <Explained id={job.id} /> : null
}

function Explained({ id }: { id: string }) {
  const times = useLoaded((signal) => farm.explain(id, { signal }), [id])
  return (
    <Card title="Where the time went">
      <Shown of={times}>{(known) => <Times times={known} />}</Shown>
    </Card>
  )
}

function Times({ times }: { times: JobExplanation }) {
  const { stages, steps, slowFrames, slowElements, againSeconds, advice } = times
  return (
    <>
      <p>{advice}</p>
      <Shares title={`Stages, ${duration(times.seconds)}`} of={stages} />
      {steps.length > 0 && <Shares title="Work of the machines" of={steps} />}
      {againSeconds > 0 && <p class="quiet">{duration(againSeconds)} were done again.</p>}
      {slowFrames.length > 0 && (
        <div>
          <h3>Slowest frames</h3>
          <ul class="spent-list">
            {slowFrames.map((frame) => (
              <li key={frame.frame}>
                {frameWords(frame)}
                {frame.elements.length > 0 && (
                  <span class="quiet" dir="auto">
                    {' '}
                    {frame.elements.join(', ')}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {slowElements.length > 0 && (
        <div>
          <h3>Slowest elements</h3>
          <ul class="spent-list">
            {slowElements.map((element) => (
              <li key={element.field}>
                <code>{element.field}</code> {elementWords(element)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function Shares({ title, of }: { title: string; of: JobExplanation['stages'] }) {
  return (
    <table class="spent">
      <caption>{title}</caption>
      <tbody>
        {of.map(({ name, label, seconds, share }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td>{duration(seconds)}</td>
            <td>{Math.round(share * 100)} %</td>
            <td class="spent-bar" aria-hidden="true">
              <progress max={1} value={share} aria-label={label} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
