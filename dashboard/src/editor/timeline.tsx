import type { Outline } from '../../../core/plan/outline.ts'
import { duration } from '../words/format.ts'
import { type Bar, barsOf, lastMoment, momentAt, momentOf, spanOf } from './timeline-layout.ts'
import { type Move, useMoving } from './use-moving.ts'

/**
 * The elements on the film's clock. A press on one leads to its JSON, and shows the film at that
 * moment. A bar or its edge can be moved: `onMove` writes its new times; absent, nothing moves.
 */
export function TimelineView({
  outline,
  time,
  onTime,
  onElement,
  isFresh,
  onMove,
  onUndo,
  onRedo,
}: {
  outline: Outline
  time: number
  onTime: (time: number) => void
  onElement: (field: string) => void
  /** The outline is of the present text. */
  isFresh: boolean
  onMove: ((move: Move) => void) | undefined
  onUndo: () => void
  onRedo: () => void
}) {
  const { seconds, segments } = outline
  const moving = useMoving(outline, { isFresh, onMove })
  const choose = (event: MouseEvent, bar: Bar) => {
    if (event.detail > 0 && moving.isMoveEnd()) return
    const track = (event.currentTarget as HTMLElement).querySelector('.track')
    onElement(bar.field)
    // A key has no place: it chooses the moment at which the element is best seen.
    if (event.detail === 0 || !track) return onTime(momentOf(bar))
    const { left, width } = track.getBoundingClientRect()
    const isOnTrack = event.clientX >= left && width > 0
    onTime(isOnTrack ? momentAt((event.clientX - left) / width, outline) : momentOf(bar))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
    event.preventDefault()
    if (event.shiftKey) onRedo()
    else onUndo()
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
      <ol class="bars" aria-label="Elements on the timeline" onKeyDown={onKeyDown}>
        {barsOf(outline).map((bar, i) => {
          const { begin, end } = moving.shown(bar, i)
          return (
            <li key={`${i} ${bar.field}`}>
              <button
                type="button"
                class={`bar-row ${bar.kind}${bar.isInScene ? ' inner' : ''}`}
                aria-describedby="moving-keys"
                onClick={(event) => choose(event, bar)}
                onPointerDown={(event) => moving.onPointerDown(event, bar, i)}
                onPointerMove={(event) => moving.onPointerMove(event, bar)}
                onKeyDown={(event) => moving.onKeyDown(event, bar, i)}
              >
                <span class="bar-name" dir="auto">
                  <b>{bar.type}</b> {bar.label}
                </span>
                <span class="hidden">
                  , from {duration(begin)} to {duration(end)}
                </span>
                <span class="track" aria-hidden="true">
                  <span
                    class="span"
                    title={`${begin.toFixed(2)} to ${end.toFixed(2)} s`}
                    style={percents(spanOf({ begin, end }, seconds))}
                  />
                  <span class="now" style={percents({ left: (time / seconds) * 100 })} />
                </span>
              </button>
            </li>
          )
        })}
      </ol>
      {segments.length > 1 && (
        <div class="cuts" aria-hidden="true">
          {segments.map((cut) => (
            <span key={cut.begin} class="cut" style={percents(spanOf(cut, seconds))} />
          ))}
        </div>
      )}
      <p id="moving-keys" class="quiet">
        Drag a bar or its edge, or press Shift and an arrow: a frame at a time. With Alt the end
        moves, with Ctrl the beginning. Ctrl and Z takes it back.
      </p>
    </div>
  )
}

function percents({ left, width }: { left: number; width?: number }) {
  const at = { left: `${Math.min(100, Math.max(0, left))}%` }
  return width === undefined ? at : { ...at, width: `${width}%` }
}
