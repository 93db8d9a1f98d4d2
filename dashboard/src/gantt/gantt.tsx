import { useMemo } from 'preact/hooks'
import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import { duration } from '../words/format.ts'
import { layOut } from './layout.ts'

const width = 1000
const rowHeight = 26
const barHeight = 18
const narrowest = 2
const wideEnoughForWords = 60

/** Draws a job's stages and attempts by machine, and its segments in the film's own time. */
export function GanttChart({ timeline, now }: { timeline: Timeline; now: number }) {
  const { rows, seconds, cuts } = useMemo(() => layOut(timeline, now), [timeline, now])
  const height = rows.length * rowHeight
  return (
    <div class="gantt">
      <div class="gantt-chart">
        <ul class="gantt-names">
          {rows.map(({ name }) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {rows.map(({ name, bars }, row) =>
            bars.map((bar) => {
              const wide = Math.max(narrowest, (bar.to - bar.from) * width)
              const y = row * rowHeight + (rowHeight - barHeight) / 2
              return (
                <g key={`${name} ${bar.key}`} class={`gantt-bar ${bar.tone}`}>
                  <title>{bar.words}</title>
                  <rect x={bar.from * width} y={y} width={wide} height={barHeight} rx={3} />
                  {wide > wideEnoughForWords && (
                    <text x={bar.from * width + 5} y={y + 13}>
                      {bar.name}
                    </text>
                  )}
                </g>
              )
            }),
          )}
          {cuts.map(({ at, seconds: idle }) => (
            <line key={at} class="gantt-cut" x1={at * width} x2={at * width} y1={0} y2={height}>
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
              <th scope="col">Row</th>
              <th scope="col">What happened</th>
            </tr>
          </thead>
          <tbody>
            {rows.flatMap(({ name, bars }) =>
              bars.map(({ key, words }) => (
                <tr key={`${name} ${key}`}>
                  <td>{name}</td>
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
