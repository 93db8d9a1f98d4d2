import test from 'ava'
import fc from 'fast-check'
import { slowFramesMax } from '../../../core/queue/tasks.ts'
import { noSpan } from '../../../runtime/tracing/tracing.ts'
import { SlowestFrames, watchFrames } from '../../../worker/frames/slowest-frames.ts'

const frame = (n: number, paint: number) => ({ frame: n, sources: 0, paint, encode: 0 })

test('the slowest frames stay, in whatever order they come', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000), { maxLength: 20 }), (times) => {
      const slowest = new SlowestFrames()
      for (const [n, ms] of times.entries()) slowest.add(frame(n, ms))
      t.deepEqual(
        slowest.list().map(({ paint }) => paint),
        times.toSorted((a, b) => b - a).slice(0, slowFramesMax),
      )
    }),
  )
})

test('frames of all segments count for the task, without tracing too', (t) => {
  const ofTask = new SlowestFrames()
  for (const first of [0, 60]) {
    const watch = watchFrames(noSpan, ofTask)
    const times = watch.begin(first)
    for (const step of ['sources', 'paint', 'encode'] as const) times.done(step)
    watch.report()
  }
  t.deepEqual(new Set(ofTask.list().map(({ frame: n }) => n)), new Set([0, 60]))
})
