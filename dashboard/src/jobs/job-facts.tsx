import type { ComponentChildren } from 'preact'
import type { Job } from '../../../client/farm-client.ts'
import { zoneNow } from '../settings/choices.ts'
import { Time } from '../ui/time.tsx'
import { bytes, count, credits, day, duration } from '../words/format.ts'
import { hasEnded } from './job-summary.ts'

export function JobFacts({ job }: { job: Job }) {
  const { result, frames, ts } = job
  const rendered = Object.values(job.stages).reduce((sum, { seconds }) => sum + seconds, 0)
  return (
    <dl class="facts">
      {result && (
        <>
          <Fact name="Size">{`${result.width} × ${result.height}`}</Fact>
          {job.type === 'video' && <Fact name="Length">{duration(result.duration)}</Fact>}
          <Fact name="File">{bytes(result.size)}</Fact>
        </>
      )}
      {frames.total > 0 && job.type === 'video' && (
        <Fact name="Frames">
          {count(frames.total)}
          <span class="quiet">
            {` (${count(frames.painted)} painted, ${count(frames.reused)} reused, ${count(frames.repeated)} repeated)`}
          </span>
        </Fact>
      )}
      {rendered > 0 && <Fact name="Took">{duration(rendered)}</Fact>}
      <Fact name="Cost">
        {hasEnded(job) ? credits(job.creditsCharged) : `${credits(job.creditsReserved)} held`}
      </Fact>
      {ts.finished && (
        <Fact name="Ended">
          <Time at={ts.finished} />
        </Fact>
      )}
      {job.outputExpiresAt && (
        <Fact name="Files kept until">
          <time dateTime={job.outputExpiresAt}>{day(job.outputExpiresAt, zoneNow())}</time>
        </Fact>
      )}
      {job.templateId && (
        <Fact name="Template">
          <a href={`/templates/${job.templateId}`}>{job.templateId}</a>
        </Fact>
      )}
      <Fact name="Id">
        <code>{job.id}</code>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
