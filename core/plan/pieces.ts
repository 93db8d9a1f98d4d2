import type { FrameRange } from './runs.ts'

/** Segments that a player gets as one piece. */
export type Piece = FrameRange & { readonly segments: readonly number[] }

/** Shortest piece: players ask for each by a request of its own. */
const shortestSeconds = 1

/**
 * Groups a film's segments, in order, into pieces of at least a second; a rest that is shorter
 * belongs to the last one.
 */
export function piecesOf(segments: readonly FrameRange[], frameRate: number): Piece[] {
  const pieces: { start: number; frames: number; segments: number[] }[] = []
  let left = segments.reduce((sum, { frames }) => sum + frames, 0)
  for (const [index, { start, frames }] of segments.entries()) {
    const last = pieces.at(-1)
    const isShort = (count: number) => count < shortestSeconds * frameRate
    if (last && (isShort(last.frames) || isShort(left))) {
      last.segments.push(index)
      last.frames += frames
    } else pieces.push({ start, frames, segments: [index] })
    left -= frames
  }
  return pieces
}
