import test from 'ava'
import fc from 'fast-check'
import { kindRanges } from '../../../core/plan/frame-kinds.ts'

/** Runs that follow each other, of kinds with frames. */
function runsOf(parts: readonly (readonly [kind: string, frames: number])[]) {
  let start = 0
  return parts.map(([kind, frames]) => {
    const run = { start, frames, kind }
    start += frames
    return run
  })
}

const framesOf = (...parts: (readonly [string, number])[]) =>
  kindRanges(runsOf(parts)).map(({ frames }) => frames)

test('a film is cut where its frames change their kind', (t) => {
  t.deepEqual(framesOf(['clip a', 40], ['painter', 18], ['clip b', 40]), [40, 18, 40])
  t.deepEqual(framesOf(['clip a', 40], ['clip b', 40]), [40, 40])
  t.deepEqual(framesOf(['painter', 9], ['painter', 30]), [39])
})

test('a short transition is painted with frames of a neighbour', (t) => {
  t.deepEqual(framesOf(['clip a', 40], ['painter', 3], ['clip b', 40]), [40, 12, 31])
  t.deepEqual(framesOf(['clip a', 40], ['painter', 3], ['clip b', 14]), [31, 12, 14])
  t.deepEqual(framesOf(['clip a', 14], ['painter', 3], ['clip b', 14]), [14, 17])
})

test('a short stretch of clip or photographs is painted', (t) => {
  t.deepEqual(framesOf(['painter', 40], ['clip a', 11], ['painter', 40]), [91])
  t.deepEqual(framesOf(['painter', 40], ['composed', 29], ['painter', 40]), [109])
  t.deepEqual(framesOf(['painter', 40], ['composed', 30], ['painter', 40]), [40, 30, 40])
  t.deepEqual(framesOf(['clip a', 5]), [5])
})

test('ranges cover all frames in order, none of them short', (t) => {
  const kind = fc.constantFrom('clip a', 'clip b', 'composed', 'painter')
  const parts = fc.array(fc.tuple(kind, fc.integer({ min: 1, max: 50 })), { minLength: 1 })
  fc.assert(
    fc.property(parts, (all) => {
      const runs = runsOf(all)
      const ranges = kindRanges(runs)
      let next = 0
      for (const { start, frames } of ranges) {
        t.is(start, next)
        t.true(frames >= 12 || ranges.length === 1)
        next = start + frames
      }
      const last = runs.at(-1)
      t.is(next, (last?.start ?? 0) + (last?.frames ?? 0))
    }),
  )
})
