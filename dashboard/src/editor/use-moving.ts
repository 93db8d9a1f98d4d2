import { useRef, useState } from 'preact/hooks'
import type { Outline } from '../../../core/plan/outline.ts'
import { type Grip, gripsOf, moved, type Times } from './timeline-edits.ts'
import type { Bar } from './timeline-layout.ts'

export type Move = { readonly bar: Bar; readonly next: Times }

/** An edge is as wide as a finger finds it, px. */
const edgePx = 8
/** A pointer that went less far has pressed, and moved nothing. */
const leastPx = 3

/**
 * Moves bars of the timeline by pointer and keys. What is moved shows at once; the text changes when the
 * pointer is let go, so that one undo takes back one move. `isFresh`: the outline is of the present text.
 */
export function useMoving(
  { frameRate, seconds: whole }: Outline,
  { isFresh, onMove }: { isFresh: boolean; onMove: ((move: Move) => void) | undefined },
) {
  const [held, setHeld] = useState<{ readonly index: number; readonly next: Times }>()
  /** Moved bars whose times the outline does not know yet. A second key may come before a new drawing. */
  const ahead = useRef(new Map<number, Times>()).current
  if (isFresh) ahead.clear()
  const [, drawAgain] = useState({})
  const wasMoved = useRef(false)

  const shown = (bar: Bar, index: number): Bar => ({
    ...bar,
    ...(held?.index === index ? held.next : ahead.get(index)),
  })
  const finish = (bar: Bar, index: number, next: Times) => {
    ahead.set(index, next)
    drawAgain({})
    onMove?.({ bar, next })
  }

  const onPointerDown = (event: PointerEvent, bar: Bar, index: number) => {
    wasMoved.current = false
    const row = event.currentTarget as HTMLElement
    const grip = gripAt(row, event.clientX, bar)
    const track = row.querySelector('.track')
    if (!onMove || !grip || !track || event.button !== 0) return
    row.setPointerCapture(event.pointerId)
    const from = shown(bar, index)
    const perPx = whole / Math.max(1, track.getBoundingClientRect().width)
    let next: Times | undefined
    const follow = ({ clientX }: PointerEvent) => {
      const px = clientX - event.clientX
      if (!wasMoved.current && Math.abs(px) < leastPx) return
      wasMoved.current = true
      next = moved(from, { grip, seconds: px * perPx, frameRate })
      setHeld({ index, next })
    }
    const end = ({ type }: PointerEvent) => {
      row.removeEventListener('pointermove', follow)
      row.removeEventListener('pointerup', end)
      row.removeEventListener('pointercancel', end)
      setHeld(undefined)
      if (next && type === 'pointerup') finish(bar, index, next)
    }
    row.addEventListener('pointermove', follow)
    row.addEventListener('pointerup', end)
    row.addEventListener('pointercancel', end)
  }

  /** Shift and an arrow: the bar; with Alt its end, with Ctrl its beginning; a frame at a time. */
  const onKeyDown = (event: KeyboardEvent, bar: Bar, index: number) => {
    const frames = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!onMove || !frames || !event.shiftKey) return
    const grip: Grip = event.altKey ? 'end' : event.ctrlKey ? 'begin' : 'whole'
    const possible = gripsOf(bar)
    if (possible.length === 0) return
    event.preventDefault()
    const at = possible.includes(grip) ? grip : 'end'
    const from = shown(bar, index)
    finish(bar, index, moved(from, { grip: at, seconds: frames / frameRate, frameRate }))
  }

  const onPointerMove = (event: PointerEvent, bar: Bar) => {
    const row = event.currentTarget as HTMLElement
    row.dataset.grip = (onMove && gripAt(row, event.clientX, bar)) || ''
  }

  return {
    shown,
    onPointerDown,
    onPointerMove,
    onKeyDown,
    /** True for the click that ends a move. */
    isMoveEnd: () => wasMoved.current,
  }
}

/** Part of a bar under the pointer. */
function gripAt(row: HTMLElement, x: number, bar: Bar): Grip | undefined {
  const span = row.querySelector('.span')?.getBoundingClientRect()
  if (!span || x < span.left - edgePx / 2 || x > span.right + edgePx / 2) return undefined
  const edge = Math.min(edgePx, span.width / 3)
  const grip = x > span.right - edge ? 'end' : x < span.left + edge ? 'begin' : 'whole'
  return gripsOf(bar).find((each) => each === grip)
}
