import test from 'ava'
import fc from 'fast-check'
import { piecesOf } from '../../../core/plan/pieces.ts'

/** Segments that follow each other, of these lengths in frames. */
function segmentsOf(lengths: readonly number[]) {
  let start = 0
  return lengths.map((frames) => {
    start += frames
    return { start: start - frames, frames }
  })
}

test('pieces have each segment once, in order, and last a second', (t) => {
  const film = fc.record({
    lengths: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 40 }),
    frameRate: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(film, ({ lengths, frameRate }) => {
      const segments = segmentsOf(lengths)
      const pieces = piecesOf(segments, frameRate)
      t.deepEqual(
        pieces.flatMap((piece) => piece.segments),
        segments.map((_, index) => index),
      )
      for (const { start, frames, segments: own } of pieces) {
        t.is(start, segments[own[0] ?? -1]?.start ?? Number.NaN)
        t.is(
          frames,
          own.reduce((sum, index) => sum + (lengths[index] ?? 0), 0),
        )
        t.true(frames >= frameRate || pieces.length === 1)
      }
    }),
  )
})

test('segments of a second and more are pieces of their own', (t) => {
  const pieces = piecesOf(segmentsOf([60, 45, 10, 30, 20, 5]), 30)
  t.deepEqual(
    pieces.map(({ segments }) => segments),
    [[0], [1], [2, 3, 4, 5]],
  )
})
