import { readFileSync } from 'node:fs'
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'

type Program = {
  packRuns(from: number, length: number, to: number): number
  readonly freeFrom: { readonly value: number }
}

const wasm = new URL('../../../worker/png/bands.wasm', import.meta.url)
const memory = new WebAssembly.Memory({ initial: 64, maximum: 4096 })
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)), {
  env: { memory },
})
const program = exports as Program

/** Largest input, bytes: the memory has space for it and for as much compressed data. */
const mostBytes = 2 ** 19

/** `beyond`: the byte that follows the input. */
function packed(bytes: Uint8Array, beyond = 0): Buffer {
  const from = program.freeFrom.value
  const to = from + mostBytes
  new Uint8Array(memory.buffer, from, mostBytes).fill(beyond)
  new Uint8Array(memory.buffer, from).set(bytes)
  const length = program.packRuns(from, bytes.length, to)
  return Buffer.copyBytesFrom(new Uint8Array(memory.buffer, to, length))
}

const emptyLastBlock = Buffer.from([3, 0])
const inflated = (...parts: readonly Buffer[]) =>
  inflateRawSync(Buffer.concat([...parts, emptyLastBlock]))

/** Compresses the same by zlib: runs alone. */
function packedByZlib(bytes: Buffer): Buffer {
  const way = { level: 1, strategy: constants.Z_RLE, finishFlush: constants.Z_FULL_FLUSH }
  return deflateRawSync(bytes, way)
}

/** Lengths around the longest match, and around the sixteen bytes that are compared at once. */
const runLengths = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 255, max: 265 }),
  fc.integer({ min: 512, max: 522 }),
  fc.integer({ min: 1, max: 20_000 }),
)
const run = fc
  .record({ value: fc.integer({ min: 0, max: 255 }), length: runLengths })
  .map(({ value, length }) => Buffer.alloc(length, value))
const few = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes))
const mixed = fc
  .array(fc.oneof(run, few), { maxLength: 30 })
  .map((parts) => Buffer.concat(parts).subarray(0, mostBytes))

/** Numbers from 0 to 1, always the same. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

/** Spreads `counts` of each byte as far apart as possible, so that few repeat. */
function spread(counts: readonly number[]): Buffer {
  const places = counts.flatMap((count, value) =>
    Array.from({ length: count }, (_, at) => ({ value, place: (at + 0.5) / count })),
  )
  return Buffer.from(places.sort((a, b) => a.place - b.place).map(({ value }) => value))
}

const fibonacci = (count: number): readonly number[] =>
  Array.from({ length: count }).reduce<number[]>(
    (all) => [...all, (all.at(-1) ?? 0) + (all.at(-2) ?? 1)],
    [],
  )

/** Noise like the differences in a photograph: small ones are frequent. */
function noise(length: number, width: number): Buffer {
  const random = randomFrom(length)
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) {
    bytes[at] = Math.round((random() + random() + random() - 1.5) * width)
  }
  return bytes
}

test('runs among other bytes are read again as they were', (t) => {
  fc.assert(fc.property(mixed, (bytes) => inflated(packed(bytes)).equals(bytes)))
  t.pass()
})

test('any bytes are read again as they were, of any length', (t) => {
  const any = fc.uint8Array({ maxLength: 2000, size: 'max' })
  fc.assert(fc.property(any, (bytes) => inflated(packed(bytes)).equals(Buffer.from(bytes))))
  for (let length = 0; length <= 600; length += 1) {
    const [one, two] = [Buffer.alloc(length, 7), Buffer.from(noise(length, 3))]
    t.true(inflated(packed(one)).equals(one), `${length} of one`)
    t.true(inflated(packed(two)).equals(two), `${length} of a few`)
  }
})

test('each part begins at a whole byte and stands alone', (t) => {
  fc.assert(
    fc.property(mixed, few, mixed, (...parts) =>
      inflated(...parts.map(packed)).equals(Buffer.concat(parts)),
    ),
  )
  t.pass()
})

test('the same bytes compress the same, whatever came before or lies beyond', (t) => {
  fc.assert(
    fc.property(mixed, mixed, (bytes, others) => {
      const last = bytes.at(-1) ?? 0
      const before = packed(bytes, last)
      packed(others)
      return packed(bytes, 255 - last).equals(before)
    }),
  )
  t.pass()
})

test('rare bytes with too long codes are still read again', (t) => {
  for (const count of [2, 3, 14, 15, 16, 17, 20]) {
    const bytes = spread(fibonacci(count))
    t.true(inflated(packed(bytes)).equals(bytes), `${count} bytes`)
  }
})

test('rare code lengths with too long codes are still read again', (t) => {
  // Codes of 4 bits, twice as many of 5 and so on to 128 of 11, none beside its like; half of all
  // is one byte.
  const counts = Array.from({ length: 8 }, (_, at) => Array<number>(2 ** at).fill(2 ** (10 - at)))
  const apart = counts.flat().map((_, at, { length }) => counts.flat()[(at * 127) % length] ?? 0)
  const bytes = spread([...apart, 2 ** 13])
  t.true(inflated(packed(bytes)).equals(bytes))
})

test('bytes of all kinds, beyond one block, are read back unchanged', (t) => {
  for (const width of [0, 0.5, 1, 4, 20, 170]) {
    const bytes = noise(300_000, width)
    t.true(inflated(packed(bytes)).equals(bytes), `noise ${width} wide`)
  }
})

test('incompressible data grow by five bytes a block', (t) => {
  const random = randomFrom(9)
  const bytes = Buffer.from(Array.from({ length: 100_000 }, () => random() * 256))
  t.true(packed(bytes).length <= bytes.length + 25)
  const little = Buffer.from([200, 7, 130, 90])
  t.is(packed(little).length, little.length + 5)
  t.is(packed(Buffer.alloc(0)).length, 0)
})

test('runs are at most a hundredth larger than zlib’s', (t) => {
  const flat = Buffer.alloc(100_000, 3)
  const lines = Buffer.concat(
    Array.from({ length: 500 }, (_, at) => Buffer.concat([noise(at % 60, 30), Buffer.alloc(150)])),
  )
  const all = [flat, lines, noise(300_000, 1), noise(300_000, 4), noise(300_000, 20)]
  for (const [at, bytes] of all.entries()) {
    t.true(packed(bytes).length <= packedByZlib(bytes).length * 1.01, `the one numbered ${at}`)
  }
})
