import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import { duration } from '../words/format.ts'
import type { Bar } from './bars.ts'
import type { Gantt } from './layout.ts'
import { segmentWords } from './segments.tsx'

/** Says all that the chart draws, for those who do not see it. */
export function GanttTable({
  layout: { rows, cuts, isSummary },
  segments,
}: {
  layout: Gantt
  segments: Timeline['segments']
}) {
  return (
    <details>
      <summary>As a table</summary>
      <table class="gantt-bars">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {rows.flatMap(({ name, bars }, row) =>
            // All bars of a summed-up machine say the same.
            (isSummary && name.includes('machine') ? bars.slice(0, 1) : bars).map((bar) => (
              <tr key={`${row} ${bar.key}`}>
                <td>{kindOf(bar)}</td>
                <td>{bar.words}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
      {cuts.length > 0 && (
        <p>Cut out, as nothing happened: {cuts.map((cut) => duration(cut.seconds)).join(', ')}.</p>
      )}
      {segments.length > 0 && (
        <ul class="gantt-segments">
          {segments.map((segment) => (
            <li key={segment.index}>{segmentWords(segment)}</li>
          ))}
        </ul>
      )}
    </details>
  )
}

const kindOf = ({ tone, outline }: Bar) =>
  tone === 'stage' || tone === 'waiting' ? tone : (outline ?? 'attempt')
