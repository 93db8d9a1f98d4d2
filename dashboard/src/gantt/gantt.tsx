import './gantt.css'
import { useMemo, useState } from 'preact/hooks'
import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import { remInPixels } from '../ui/rem.ts'
import { counted, duration } from '../words/format.ts'
import type { Bar } from './bars.ts'
import { GanttTable } from './gantt-table.tsx'
import { barsMost, layOut } from './layout.ts'
import { Segments } from './segments.tsx'

/** Heights in rem. */
const [rowRem, barRem, textRem] = [1.625, 1.125, 0.8125]
/** Narrower bars have no room for their words. */
const wideEnough = 0.07
const hatch = 'gantt-hatch'

const percent = (share: number) => `${(share * 100).toFixed(3)}%`

/**
 * Draws a job's stages and attempts by machine, and its segments in the film's own time. Who points at
 * an attempt sees its segments, and the other way round.
 */
export function GanttChart({ timeline, now }: { timeline: Timeline; now: number }) {
  const layout = useMemo(() => layOut(timeline, now), [timeline, now])
  const [lit, setLit] = useState<readonly number[]>([])
  const { rows, seconds, cuts, isSummary } = layout
  const rem = remInPixels()
  const [rowHeight, barHeight] = [rowRem * rem, barRem * rem]
  if (rows.length === 0) return <p class="quiet">Nothing has begun yet.</p>
  const height = rows.length * rowHeight
  const isLit = (bar: Bar) => lit.length > 0 && bar.segments.some((index) => lit.includes(index))
  return (
    <div class={lit.length > 0 ? 'gantt pointed' : 'gantt'} onPointerLeave={() => setLit([])}>
      {isSummary && (
        <p class="quiet">
          {counted(timeline.attempts.length, 'attempt')} are too many to draw, {barsMost} at most:
          each machine’s are summed up.
        </p>
      )}
      <div class="gantt-chart">
        <ul class="gantt-names">
          {rows.map(({ name, bars }) => (
            <li key={`${name} ${bars[0]?.key}`}>{name}</li>
          ))}
        </ul>
        <svg height={height} aria-hidden="true">
          <defs>
            <pattern
              id={hatch}
              width={8}
              height={8}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <line class="gantt-hatch" x1={1} y1={0} x2={1} y2={8} />
            </pattern>
          </defs>
          {rows.map(({ bars }, row) =>
            bars.map((bar) => (
              // An svg of its own cuts the words off at the bar's end.
              <svg
                key={`${row} ${bar.key}`}
                class={`gantt-bar ${bar.tone} ${bar.outline ?? ''} ${isLit(bar) ? 'lit' : ''}`}
                x={percent(bar.from)}
                y={row * rowHeight + (rowHeight - barHeight) / 2}
                width={percent(Math.max(0.002, bar.to - bar.from))}
                height={barHeight}
                onPointerEnter={() => setLit(bar.segments)}
              >
                <title>{bar.words}</title>
                <rect
                  width="100%"
                  height={barHeight}
                  rx={3}
                  {...(bar.tone === 'waiting' && { fill: `url(#${hatch})` })}
                />
                {bar.to - bar.from > wideEnough && (
                  <text x={6} y={textRem * rem}>
                    {bar.name}
                  </text>
                )}
              </svg>
            )),
          )}
          {cuts.map(({ at, seconds: idle }) => (
            <line key={at} class="gantt-cut" x1={percent(at)} x2={percent(at)} y1={0} y2={height}>
              <title>{`${duration(idle)} in which nothing happened`}</title>
            </line>
          ))}
        </svg>
      </div>
      <p class="gantt-axis quiet">
        <span>0 s</span>
        <span>{duration(seconds)}</span>
      </p>
      {timeline.segments.length > 0 && (
        <Segments segments={timeline.segments} lit={lit} onPoint={(index) => setLit([index])} />
      )}
      <ul class="gantt-legend quiet" aria-hidden="true">
        <li class="waiting">waits</li>
        <li class="retry">done again or twice</li>
      </ul>
      <GanttTable layout={layout} segments={timeline.segments} />
    </div>
  )
}
