import type { Anchor, VisualBase } from '../visuals/visual-base.ts'
import type { Matrix } from './draw.ts'
import type { Rect, Size } from './rect.ts'

/** Fractions of width and height at which an anchor lies. */
export const anchorPoint: Record<Anchor, readonly [number, number]> = {
  'top-left': [0, 0],
  'top-center': [0.5, 0],
  'top-right': [1, 0],
  'center-left': [0, 0.5],
  'center-center': [0.5, 0.5],
  'center-right': [1, 0.5],
  'bottom-left': [0, 1],
  'bottom-center': [0.5, 1],
  'bottom-right': [1, 1],
}

const noMargin = { left: 0, top: 0, right: 0, bottom: 0 }

/** The request's position of an element. */
export type PlacedBox = Pick<VisualBase, 'x' | 'y' | 'position' | 'anchor'>

/** Places a box. The anchor is a point of the box with its margin. */
export function placeBox(
  { x, y, position, anchor }: PlacedBox,
  size: Size,
  { canvas, margin = noMargin }: { canvas: Size; margin?: typeof noMargin | undefined },
): Rect {
  const width = Math.max(1, Math.round(size.width))
  const height = Math.max(1, Math.round(size.height))
  const [ax, ay] = anchorPoint[anchor]
  const [px, py] =
    position === 'custom'
      ? [x, y]
      : [anchorPoint[position][0] * canvas.width, anchorPoint[position][1] * canvas.height]
  const { left, top, right, bottom } = margin
  return [
    Math.round(px - ax * (left + width + right) + left),
    Math.round(py - ay * (top + height + bottom) + top),
    width,
    height,
  ]
}

/** Rotation and flips of an element about the centre of its box. */
export type Turn = Pick<VisualBase, 'angle' | 'flipH' | 'flipV'>

const identity: Matrix = [1, 0, 0, 1, 0, 0]

/** Matrix that flips, then turns clockwise by `angle`, both about the centre of the box. */
export function matrixOf({ angle, flipH, flipV }: Turn, box: Rect): Matrix {
  if (angle % 360 === 0 && !flipH && !flipV) return identity
  const cx = box[0] + box[2] / 2
  const cy = box[1] + box[3] / 2
  const [cos, sin] = cosAndSin(angle)
  const sx = flipH ? -1 : 1
  const sy = flipV ? -1 : 1
  const a = cos * sx
  const b = sin * sx
  const c = -sin * sy
  const d = cos * sy
  return [a, b, c, d, cx - a * cx - c * cy, cy - b * cx - d * cy]
}

/** Exact for quarter turns, so that they stay on whole pixels. */
function cosAndSin(degrees: number): readonly [number, number] {
  const quarter = (((degrees % 360) + 360) % 360) / 90
  switch (quarter) {
    case 0:
      return [1, 0]
    case 1:
      return [0, 1]
    case 2:
      return [-1, 0]
    case 3:
      return [0, -1]
    default: {
      const radians = (degrees * Math.PI) / 180
      return [Math.cos(radians), Math.sin(radians)]
    }
  }
}

/** Rounding error of a matrix, px: edges this near to a whole pixel lie on it. */
const epsilonPx = 1e-6

/** Whole-pixel bounds of a rectangle after a matrix. */
export function boundsOf([x, y, width, height]: Rect, matrix: Matrix): Rect {
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ] as const
  const [a, b, c, d, e, f] = matrix
  const xs = corners.map(([px, py]) => a * px + c * py + e)
  const ys = corners.map(([px, py]) => b * px + d * py + f)
  const left = Math.floor(Math.min(...xs) + epsilonPx)
  const top = Math.floor(Math.min(...ys) + epsilonPx)
  const right = Math.ceil(Math.max(...xs) - epsilonPx)
  const bottom = Math.ceil(Math.max(...ys) - epsilonPx)
  return [left, top, Math.max(1, right - left), Math.max(1, bottom - top)]
}

/**
 * Returns the area of an element's paint that can be visible: the canvas and the element's own box,
 * mapped back before rotation. Relative to the box's top-left, whole px.
 */
export function seenAround(box: Rect, turn: Turn, canvas: Size): Rect {
  const [a, b, c, d, e, f] = matrixOf(turn, box)
  // The determinant of a rotation with flips is 1 or -1.
  const det = a * d - b * c
  const back: Matrix = [
    d / det,
    -b / det,
    -c / det,
    a / det,
    (c * f - d * e) / det,
    (b * e - a * f) / det,
  ]
  const [x, y, width, height] = boundsOf([0, 0, canvas.width, canvas.height], back)
  const left = Math.min(x - box[0], 0)
  const top = Math.min(y - box[1], 0)
  const right = Math.max(x + width - box[0], box[2])
  const bottom = Math.max(y + height - box[1], box[3])
  return [left, top, right - left, bottom - top]
}
