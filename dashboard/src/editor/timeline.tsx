import type { Outline } from '../../../core/plan/outline.ts'
import { duration } from '../words/format.ts'
import { type Bar, barsOf, lastMoment, momentAt, momentOf, spanOf } from './timeline-layout.ts'

/**
 * The elements on the film's clock. A press on one leads to its JSON, and shows the film at that
 * moment.
 */
export function TimelineView({
  outline,
  time,
  onTime,
  onElement,
}: {
  outline: Outline
  time: number
  onTime: (time: number) => void
  onElement: (field: string) => void
}) {
  const { seconds, segments } = outline
  const choose = (event: MouseEvent, bar: Bar) => {
    const track = (event.currentTarget as HTMLElement).querySelector('.track')
    onElement(bar.field)
    // A key has no place: it chooses the moment at which the element is best seen.
    if (event.detail === 0 || !track) return onTime(momentOf(bar))
    const { left, width } = track.getBoundingClientRect()
    const isOnTrack = event.clientX >= left && width > 0
    onTime(isOnTrack ? momentAt((event.clientX - left) / width, outline) : momentOf(bar))
  }
  return (
    <div class="film-line">
      <label class="moment">
        <span>
          Moment <output>{time.toFixed(2)} s</output>
        </span>
        <input
          type="range"
          min="0"
          max={lastMoment(outline)}
          step="0.01"
          value={time}
          onInput={(event) => onTime(Number(event.currentTarget.value))}
        />
      </label>
      <ol class="bars" aria-label="Elements on the timeline">
        {barsOf(outline).map((bar, i) => (
          <li key={`${i} ${bar.field}`}>
            <button
              type="button"
              class={`bar-row ${bar.kind}${bar.isInScene ? ' inner' : ''}`}
              onClick={(event) => choose(event, bar)}
            >
              <span class="bar-name" dir="auto">
                <b>{bar.type}</b> {bar.label}
              </span>
              <span class="hidden">
                , from {duration(bar.begin)} to {duration(bar.end)}
              </span>
              <span class="track" aria-hidden="true">
                <span class="span" style={percents(spanOf(bar, seconds))} />
                <span class="now" style={percents({ left: (time / seconds) * 100 })} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {segments.length > 1 && (
        <div class="cuts" aria-hidden="true">
          {segments.map((cut) => (
            <span key={cut.begin} class="cut" style={percents(spanOf(cut, seconds))} />
          ))}
        </div>
      )}
    </div>
  )
}

function percents({ left, width }: { left: number; width?: number }) {
  const at = { left: `${Math.min(100, Math.max(0, left))}%` }
  return width === undefined ? at : { ...at, width: `${width}%` }
}
