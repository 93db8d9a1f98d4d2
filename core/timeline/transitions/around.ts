import type { Padding, Rect, Size } from '../rect.ts'
import type { Piece } from './kinds.ts'

/** Distances by which `around` extends beyond `box`, which it contains. */
export function paddingOf(box: Rect, around: Rect): Padding {
  return {
    left: box[0] - around[0],
    top: box[1] - around[1],
    right: around[0] + around[2] - box[0] - box[2],
    bottom: around[1] + around[3] - box[1] - box[3],
  }
}

/**
 * Extends the pieces to the padding around the box. A still piece extends beyond the box's edges
 * that it touches. A moving piece takes its padding along, through an opening that grows from the
 * box's edge to the whole padding while half of the piece comes in. So it does not begin with a
 * jump. Black stays in the box.
 */
export function piecesAround(
  pieces: readonly Piece[],
  size: Size,
  padding: Padding,
): readonly Piece[] {
  if (Object.values(padding).every((px) => px === 0)) return pieces
  return pieces.map((piece) => {
    const { source, clip, dx, dy } = piece
    const [x, y, width, height] = clip
    if (source === 'black' || width <= 0 || height <= 0) return piece
    const across = edgesAround([x, width], size.width, {
      ...{ before: padding.left, after: padding.right },
      moves: dx !== 0,
    })
    const down = edgesAround([y, height], size.height, {
      ...{ before: padding.top, after: padding.bottom },
      moves: dy !== 0,
    })
    return { ...piece, clip: [across[0], down[0], across[1], down[1]] }
  })
}

type Span = readonly [start: number, length: number]

function edgesAround(
  [start, length]: Span,
  whole: number,
  { before, after, moves }: { before: number; after: number; moves: boolean },
): Span {
  const end = start + length
  const open = moves ? Math.min(1, (2 * length) / whole) : 1
  const first = moves || start <= 0 ? start - Math.round(before * open) : start
  const last = moves || end >= whole ? end + Math.round(after * open) : end
  return [first, last - first]
}
