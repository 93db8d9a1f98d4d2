import type { Rect, Size } from '../rect.ts'
import type { Piece, Pieces, Side, Source } from './kinds.ts'
import { remaining, wholePart } from './progress.ts'

type Axis = 'x' | 'y'

/** Left and up, or right and down. */
type Way = -1 | 1

/**
 * Slides `to` in, in the direction of `way`, while `from` leaves; `moving` chooses the sides that
 * move, by whole pixels.
 */
export function slide(axis: Axis, way: Way, moving: Side | 'both'): Pieces {
  return {
    kind: 'pieces',
    axis,
    pieces: (size, progress) => {
      const length = lengthOf(size, axis)
      const rest = wholePart(length, remaining(progress))
      const passed = length - rest
      const from = band(axis, size, way < 0 ? [0, rest] : [passed, rest])
      const to = band(axis, size, way < 0 ? [rest, passed] : [0, passed])
      return [
        piece('from', from, moving === 'to' ? {} : { [axis]: way * passed }),
        piece('to', to, moving === 'from' ? {} : { [axis]: -way * rest }),
      ]
    },
  }
}

/**
 * Moves a hard edge over the box in the direction of `way`. The pixel at the edge belongs to the
 * first part.
 */
export function wipe(axis: Axis, way: Way): Pieces {
  return {
    kind: 'pieces',
    axis,
    pieces: (size, progress) => {
      const length = lengthOf(size, axis)
      const first = edgeOf(length, way, progress)
      const [before, after] = way < 0 ? (['from', 'to'] as const) : (['to', 'from'] as const)
      return [
        piece(before, band(axis, size, [0, first])),
        piece(after, band(axis, size, [first, length - first])),
      ]
    },
  }
}

/** Shrinks `from` into the corner that both ways point at. */
export function wipeCorner(across: Way, down: Way): Pieces {
  return {
    kind: 'pieces',
    axis: 'both',
    pieces: (size, progress) => {
      const { width, height } = size
      const x = edgeOf(width, across, progress)
      const y = edgeOf(height, down, progress)
      const columns: Span = across < 0 ? [0, x] : [x, width - x]
      const rows: Span = down < 0 ? [0, y] : [y, height - y]
      const corner = [columns[0], rows[0], columns[1], rows[1]] as const
      return [piece('from', corner), ...around(corner, size).map((clip) => piece('to', clip))]
    },
  }
}

/** Closes a rectangle over `from` and opens it over `to`; black around it. */
export const rectCrop: Pieces = {
  kind: 'pieces',
  axis: 'both',
  pieces: (size, progress) => {
    const { width, height } = size
    const left = remaining(progress)
    const share = Math.abs(left - 0.5)
    const [columns, rows] = [spanAround(width, share), spanAround(height, share)]
    const isOpen = columns[1] > 0 && rows[1] > 0
    if (!isOpen) return [piece('black', [0, 0, width, height])]
    const opening = [columns[0], rows[0], columns[1], rows[1]] as const
    return [
      piece(left < 0.5 ? 'to' : 'from', opening),
      ...around(opening, size).map((clip) => piece('black', clip)),
    ]
  },
}

/** Start and length. */
type Span = readonly [start: number, length: number]

/** Pixels whose distance from the middle, in whole pixels, is less than the share. */
function spanAround(length: number, share: number): Span {
  const reach = wholePart(length, share)
  const start = Math.max(0, Math.floor(length / 2) - reach + 1)
  const end = Math.min(length, Math.floor(length / 2) + reach)
  return [start, Math.max(0, end - start)]
}

function edgeOf(length: number, way: Way, progress: number): number {
  const left = remaining(progress)
  return Math.min(length, wholePart(length, way < 0 ? left : 1 - left) + 1)
}

/** Returns the box without `rect`. */
function around([x, y, across, down]: Rect, { width, height }: Size): Rect[] {
  return [
    [0, 0, width, y] as const,
    [0, y + down, width, height - y - down] as const,
    [0, y, x, down] as const,
    [x + across, y, width - x - across, down] as const,
  ].filter(([, , w, h]) => w > 0 && h > 0)
}

function piece(
  source: Source,
  clip: Rect,
  { x = 0, y = 0 }: { x?: number; y?: number } = {},
): Piece {
  return { source, clip, dx: x, dy: y }
}

function lengthOf(size: Size, axis: Axis): number {
  return axis === 'x' ? size.width : size.height
}

function band(axis: Axis, size: Size, [start, length]: Span): Rect {
  return axis === 'x' ? [start, 0, length, size.height] : [0, start, size.width, length]
}
