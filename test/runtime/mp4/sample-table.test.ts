import test from 'ava'
import { readSampleTable } from '../../../runtime/mp4/sample-table.ts'
import { box, fullBox } from '../../../runtime/mp4/write.ts'

/** A track of two chunks with two samples each. */
function trackOf(boxes: {
  readonly sizes: Buffer
  readonly chunks?: Buffer
  readonly shifts?: Buffer
}) {
  const { sizes, shifts, chunks = box('stco', fullBox([2, 100, 200])) } = boxes
  const tables = [sizes, box('stsc', fullBox([1, 1, 2, 1])), chunks, ...(shifts ? [shifts] : [])]
  return box('mdia', box('minf', box('stbl', ...tables)))
}

const sameSize = box('stsz', fullBox([7, 4]))

/** An stz2 with entries of `bits`. */
function compact(bits: number, count: number, entries: readonly number[]): Buffer {
  return box('stz2', Buffer.concat([fullBox([bits, count]), Buffer.from(entries)]))
}

test('samples all of one size are read from a table without entries', (t) => {
  const { sizes, positions, keys, frames } = readSampleTable(trackOf({ sizes: sameSize }))
  t.deepEqual(sizes, [7, 7, 7, 7])
  t.deepEqual(positions, [100, 107, 200, 207])
  t.deepEqual(keys, [true, true, true, true])
  t.deepEqual(frames, [0, 1, 2, 3])
})

test('sizes are read from compact tables of 4, 8 and 16 bits', (t) => {
  const three = box('stsc', fullBox([1, 1, 3, 1]))
  for (const [bits, entries] of [
    [4, [0x12, 0x30]],
    [8, [1, 2, 3]],
    [16, [0, 1, 0, 2, 0, 3]],
  ] as const) {
    const tables = [compact(bits, 3, entries), three, box('stco', fullBox([1, 100]))]
    const track = box('mdia', box('minf', box('stbl', ...tables)))
    t.deepEqual(readSampleTable(track).positions, [100, 101, 103], `${bits} bits`)
  }
})

test('chunks beyond 4 GiB are found by their positions of 64 bits', (t) => {
  const chunks = box('co64', fullBox([2, 0, 100, 1, 200]))
  const { positions } = readSampleTable(trackOf({ sizes: sameSize, chunks }))
  t.deepEqual(positions, [100, 107, 2 ** 32 + 200, 2 ** 32 + 207])
})

test('samples that are shown before they are decoded keep their order', (t) => {
  const shifts = fullBox([4, 1, 0, 1, 1, 1, -1 >>> 0, 1, 0])
  shifts.writeUInt8(1)
  const { frames } = readSampleTable(trackOf({ sizes: sameSize, shifts: box('ctts', shifts) }))
  t.deepEqual(frames, [0, 2, 1, 3])
})

test('a table whose count and entries differ is refused', (t) => {
  for (const sizes of [box('stsz', fullBox([0, 4, 7])), compact(8, 4, [7]), compact(5, 1, [7])]) {
    t.throws(() => readSampleTable(trackOf({ sizes })), { message: /must (tell of|have)/ })
  }
})
