import test from 'ava'
import { SegmentQueue } from '../../../worker/tasks/segment-queue.ts'

/** Moving segments of these sizes; their indexes begin at `from`. */
function segmentsOf(sizes: readonly number[], from = 1) {
  return sizes.map((encoded, at) => ({
    ...{ index: from + at, start: 0, frames: encoded, pictures: encoded, encoded },
    ...{ fingerprint: '', pixels: [] },
  }))
}

test('segments are promised once each, and the longest begin first', (t) => {
  const queue = new SegmentQueue(segmentsOf([30, 60, 45]), () => [])
  t.deepEqual([queue.promise(), queue.promise(), queue.promise()], [true, true, true])
  t.false(queue.promise(), 'no line waits for a lane in vain')
  t.is(queue.nextSize(), 60)
  t.deepEqual([queue.take(), queue.take(), queue.take()], [1, 2, 0])
  t.false(queue.promise())
})

test('a player’s segment is chosen, though its wish came after the promise', (t) => {
  let wanted: number[] = []
  const queue = new SegmentQueue(segmentsOf([60, 60, 60]), () => wanted)
  queue.promise()
  wanted = [3]
  t.is(queue.nextSize(), Number.POSITIVE_INFINITY)
  t.is(queue.take(), 2)
  t.is(queue.nextSize(), 60, 'nobody waits for the others')
})

test('the film’s first segment goes before longer ones of its job', (t) => {
  const queue = new SegmentQueue(segmentsOf([30, 60], 0), () => [])
  queue.promise()
  t.is(queue.nextSize(), Number.POSITIVE_INFINITY)
  t.is(queue.take(), 0)
})
