import type { DrawCommand, Rect, TransitionCommand } from '../../core/timeline/draw.ts'
import { paddingOf, piecesAround } from '../../core/timeline/transitions-around.ts'
import type { PixelTransition, Side, Transition } from '../../core/timeline/transitions-kinds.ts'
import { type Area, areaBehind, type Blend } from './pixel-blends.ts'

/** Returns the intersection of both rectangles; undefined when it is empty. */
export function overlapOf(one: Rect, other: Rect): Rect | undefined {
  const left = Math.max(one[0], other[0])
  const top = Math.max(one[1], other[1])
  const right = Math.min(one[0] + one[2], other[0] + other[2])
  const bottom = Math.min(one[1] + one[3], other[1] + other[3])
  return right > left && bottom > top ? [left, top, right - left, bottom - top] : undefined
}

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
    case 'pieces':
      return piecesAround(transition.pieces(size, progress), size, paddingOf(box, around))
        .filter(({ source }) => source === side)
        .flatMap(({ clip: [left, top, width, height], dx, dy }) => {
          const shown = overlapOf([box[0] + left, box[1] + top, width, height], window)
          return shown ? [[shown[0] - dx, shown[1] - dy, shown[2], shown[3]] as const] : []
        })
        .reduce<Rect | undefined>(hullOf, undefined)
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

function hullOf(one: Rect | undefined, other: Rect): Rect {
  if (!one) return other
  const left = Math.min(one[0], other[0])
  const top = Math.min(one[1], other[1])
  const right = Math.max(one[0] + one[2], other[0] + other[2])
  const bottom = Math.max(one[1] + one[3], other[1] + other[3])
  return [left, top, right - left, bottom - top]
}
