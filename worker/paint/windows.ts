import type { DrawCommand, TransitionCommand } from '../../core/timeline/draw.ts'
import { hullOf, overlapOf, type Rect } from '../../core/timeline/rect.ts'
import { paddingOf, piecesAround } from '../../core/timeline/transitions/around.ts'
import type { PixelTransition, Side, Transition } from '../../core/timeline/transitions/kinds.ts'
import { type Area, areaBehind, type Blend } from './pixel-blends.ts'

/**
 * Returns whether the commands hide everything below: scenes begin with a fill of the whole canvas.
 */
export function isOpaqueOver(box: Rect, [first]: readonly DrawCommand[]): boolean {
  if (first?.op !== 'fill') return false
  const [left, top, width, height] = box
  const [x, y, across, down] = first.rect
  return x <= left && y <= top && x + across >= left + width && y + down >= top + height
}

/** Converts `rect` from canvas coordinates to the corner of `box`. */
export function areaIn([boxLeft, boxTop]: Rect, [left, top, width, height]: Rect): Area {
  return { left: left - boxLeft, top: top - boxTop, width, height }
}

export function rectOf([boxLeft, boxTop]: Rect, { left, top, width, height }: Area): Rect {
  return [boxLeft + left, boxTop + top, width, height]
}

/**
 * Returns the part of a side that is visible in `window`, a part of the transition's box; canvas
 * coordinates. Undefined when nothing is.
 */
export function seenOf(
  side: Side,
  transition: Transition,
  { command, window }: { command: TransitionCommand; window: Rect },
): Rect | undefined {
  const { progress, box, around = box } = command
  if (progress <= 0 || progress >= 1) {
    return (side === 'from') === progress <= 0 ? window : undefined
  }
  const size = { width: box[2], height: box[3] }
  switch (transition.kind) {
    case 'mix':
    case 'mask':
      return window
    case 'pieces': {
      const shown = piecesAround(transition.pieces(size, progress), size, paddingOf(box, around))
        .filter(({ source }) => source === side)
        .flatMap(({ clip: [left, top, width, height], dx, dy }) => {
          const seen = overlapOf([box[0] + left, box[1] + top, width, height], window)
          return seen ? [[seen[0] - dx, seen[1] - dy, seen[2], seen[3]] as const] : []
        })
      return shown.length > 0 ? hullOf(shown) : undefined
    }
    default: {
      const area = areaBehind(transition, blendOf(transition, { command, window }))
      return rectOf(box, area)
    }
  }
}

/** Returns the state of a pixel transition to compute. */
export function blendOf(
  transition: PixelTransition,
  { command, window }: { command: TransitionCommand; window: Rect },
): Blend {
  const { progress, box, around = box, from } = command
  const size = { width: box[2], height: box[3] }
  // An empty side has no overflow: it moves as the box does.
  const isStill = transition.kind === 'remap' && transition.moved === 'from' && from.length === 0
  const padding = paddingOf(box, isStill ? box : around)
  return { size, padding, window: areaIn(box, window), progress }
}
