import './gantt.css'
import { useMemo } from 'preact/hooks'
import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import { remInPixels } from '../ui/rem.ts'
import { duration } from '../words/format.ts'
import { layOut } from './layout.ts'

/** Heights in rem. */
const [rowRem, barRem, textRem] = [1.625, 1.125, 0.8125]
/** Narrower bars have no room for their words. */
const wideEnough = 0.07

const percent = (share: number) => `${(share * 100).toFixed(3)}%`

/** Draws a job's stages and attempts by machine, and its segments in the film's own time. */
export function GanttChart({ timeline, now }: { timeline: Timeline; now: number }) {
  const { rows, seconds, cuts } = useMemo(() => layOut(timeline, now), [timeline, now])
  const rem = remInPixels()
  const [rowHeight, barHeight] = [rowRem * rem, barRem * rem]
  if (rows.length === 0) return <p class="quiet">Nothing has begun yet.</p>
  return (
    <div class="gantt">
      <div class="gantt-chart">
        <ul class="gantt-names">
          {rows.map(({ name, bars }) => (
            <li key={`${name} ${bars[0]?.key}`}>{name}</li>
          ))}
        </ul>
        <svg height={rows.length * rowHeight} aria-hidden="true">
          {rows.map(({ bars }, row) =>
            bars.map((bar) => (
              // An svg of its own cuts the words off at the bar's end.
              <svg
                key={`${row} ${bar.key}`}
                class={`gantt-bar ${bar.tone}`}
                x={percent(bar.from)}
                y={row * rowHeight + (rowHeight - barHeight) / 2}
                width={percent(Math.max(0.002, bar.to - bar.from))}
                height={barHeight}
              >
                <title>{bar.words}</title>
                <rect width="100%" height={barHeight} rx={3} />
                {bar.to - bar.from > wideEnough && (
                  <text x={6} y={textRem * rem}>
                    {bar.name}
                  </text>
                )}
              </svg>
            )),
          )}
          {cuts.map(({ at, seconds: idle }) => (
            <line
              key={at}
              class="gantt-cut"
              x1={percent(at)}
              x2={percent(at)}
              y1={0}
              y2={rows.length * rowHeight}
            >
              <title>{`${duration(idle)} in which nothing happened`}</title>
            </line>
          ))}
        </svg>
      </div>
      <p class="gantt-axis quiet">
        <span>0 s</span>
        <span>{duration(seconds)}</span>
      </p>
      {timeline.segments.length > 0 && <Segments segments={timeline.segments} />}
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">What happened</th>
            </tr>
          </thead>
          <tbody>
            {rows.flatMap(({ bars }, row) =>
              bars.map(({ key, tone, words }) => (
                <tr key={`${row} ${key}`}>
                  <td>{tone === 'stage' ? 'stage' : 'attempt'}</td>
                  <td>{words}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </details>
    </div>
  )
}

/** Shows the segments along the film: done, painted now, waiting, or there already. */
function Segments({ segments }: { segments: Timeline['segments'] }) {
  const last = segments.at(-1)
  const frames = last ? last.firstFrame + last.frames : 1
  return (
    <svg class="segments" viewBox={`0 0 ${frames} 10`} preserveAspectRatio="none" role="img">
      <title>Segments of the film, in its own time</title>
      {segments.map(({ index, firstFrame, frames: length, state }) => (
        <rect
          key={index}
          class={`segment ${state}`}
          x={firstFrame}
          y={0}
          width={length}
          height={10}
        >
          <title>{`segment ${index}, ${length} frames: ${state}`}</title>
        </rect>
      ))}
    </svg>
  )
}
