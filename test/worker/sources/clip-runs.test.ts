import test from 'ava'
import fc from 'fast-check'
import { runsOf } from '../../../worker/sources/clip-runs.ts'

const small = [100, 100] as const
const large = [4000, 2000] as const
const uses = (...frames: number[]) => frames.map((frame, at) => ({ at, frame }))
const framesOf = (runs: ReturnType<typeof runsOf>) => runs.map(({ frames }) => frames)

test('a clip that goes forward needs one decoder, whatever its size', (t) => {
  for (const size of [small, large]) {
    t.deepEqual(framesOf(runsOf(uses(3, 3, 4, 6, 9), size)), [[3, 4, 6, 9]])
  }
})

test('a loop with keepable frames needs one decoder, otherwise one per time', (t) => {
  const loop = uses(2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0)
  t.deepEqual(framesOf(runsOf(loop, small)), [[0, 1, 2, 3, 4, 5]])
  t.deepEqual(framesOf(runsOf(loop, large)), [[2, 3, 4, 5], [0, 1, 2, 3, 4], [0]])
})

test('the same large clip at two places goes on in two decoders', (t) => {
  const both = [0, 1, 2, 3].flatMap((at) => [
    { at, frame: at },
    { at, frame: at + 50 },
  ])
  t.deepEqual(framesOf(runsOf(both, large)), [
    [0, 1, 2, 3],
    [50, 51, 52, 53],
  ])
})

test('each use has one run, whose frames ascend and are kept', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(small, large),
      (frames, size) => {
        const all = uses(...frames)
        const runs = runsOf(all, size)
        for (const { at, frame } of all) {
          const serving = runs.filter((run) => run.uses.has(`${at} ${frame}`))
          t.is(serving.length, 1)
          t.true(serving[0]?.frames.includes(frame))
          t.true((serving[0]?.lastUses.get(frame) ?? -1) >= at)
        }
        for (const run of runs) {
          t.deepEqual(
            run.frames,
            [...new Set(run.frames)].sort((a, b) => a - b),
          )
        }
      },
    ),
  )
})
