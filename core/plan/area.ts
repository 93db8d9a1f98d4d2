import type { DrawCommand } from '../timeline/draw.ts'
import { boundsOf } from '../timeline/placing.ts'
import type { Rect, Size } from '../timeline/rect.ts'

/** Areas of the canvas that are painted by themselves. */

/** Margin for soft edges, which extend a pixel beyond their box. */
const softPx = 2

/** Area that the commands paint, within the canvas, with soft edges, on even edges. Undefined where they paint nothing. */
export function areaOf(
  commands: readonly DrawCommand[],
  { width, height }: Size,
): Rect | undefined {
  // One by one: the commands of all frames may exceed a call's arguments.
  let [first, above, behind, below] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y, w, h] of commands.map(rectOf)) {
    first = Math.min(first, x)
    above = Math.min(above, y)
    behind = Math.max(behind, x + w)
    below = Math.max(below, y + h)
  }
  const even = (px: number) => 2 * Math.floor(px / 2)
  const left = even(Math.max(0, first - softPx))
  const top = even(Math.max(0, above - softPx))
  const right = Math.min(width, behind + softPx)
  const bottom = Math.min(height, below + softPx)
  if (right <= left || bottom <= top) return undefined
  return [left, top, -even(left - right), -even(top - bottom)]
}

function rectOf(command: DrawCommand): Rect {
  switch (command.op) {
    case 'fill':
      return command.rect
    case 'picture':
      return boundsOf(command.clip?.rect ?? command.dest, command.matrix)
    case 'transition':
      return command.around ?? command.box
    default:
      return command satisfies never
  }
}

/** Moves the commands to a canvas whose corner is at their `x`, `y`. */
export function seenFrom(commands: readonly DrawCommand[], [x, y]: Rect): DrawCommand[] {
  const moved = ([left, top, width, height]: Rect): Rect => [left - x, top - y, width, height]
  return commands.map((command): DrawCommand => {
    switch (command.op) {
      case 'fill':
        return { ...command, rect: moved(command.rect) }
      case 'picture': {
        const [a, b, c, d, e, f] = command.matrix
        return { ...command, matrix: [a, b, c, d, e - x, f - y] }
      }
      case 'transition': {
        const { box, around, from, to } = command
        const corner: Rect = [x, y, 0, 0]
        const sides = { from: seenFrom(from, corner), to: seenFrom(to, corner) }
        return { ...command, box: moved(box), ...(around && { around: moved(around) }), ...sides }
      }
      default:
        return command satisfies never
    }
  })
}
