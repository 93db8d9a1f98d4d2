import { crc32, inflateSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import sharp from 'sharp'
import type { Size } from '../../../core/timeline/rect.ts'
import { type PngPicture, PngWriter } from '../../../worker/png/writer.ts'

/**
 * Pictures from noise to one colour, in any size, so that each filter and both ways to compress are
 * used.
 */
const pictures = fc
  .record({
    width: fc.integer({ min: 1, max: 41 }),
    height: fc.integer({ min: 1, max: 100 }),
    channels: fc.constantFrom(3 as const, 4 as const),
    levels: fc.constantFrom(1, 2, 8, 256),
    slope: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer(),
  })
  .map(({ levels, slope, seed, ...size }) => {
    let state = seed >>> 0
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return (state >>> 16) % levels
    }
    const pixels = Buffer.alloc(size.width * size.height * 4)
    for (let at = 0; at < pixels.length; at += 1) {
      const row = Math.floor(at / 4 / size.width)
      pixels[at] = random() + slope * (row + ((at / 4) % size.width))
    }
    return { ...size, pixels }
  })

const writer = (cacheMaxBytes = 2 ** 20) => new PngWriter({ cacheMaxBytes })

/** Decodes by libvips. */
async function decoded(png: Buffer) {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

function withoutAlpha({ pixels, channels }: PngPicture): Buffer {
  if (channels === 4) return pixels
  return Buffer.from(pixels.filter((_, at) => at % 4 !== 3))
}

/** Name and content of each chunk, and whether its checksum is right. */
function chunksOf(png: Buffer) {
  const chunks: { name: string; content: Buffer; isWhole: boolean }[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const named = png.subarray(at + 4, at + 8 + length)
    const isWhole = crc32(named) === png.readUInt32BE(at + 8 + length)
    chunks.push({ name: named.toString('latin1', 0, 4), content: named.subarray(4), isWhole })
    at += length + 12
  }
  return chunks
}

/** The nearest of left, above and corner, and the other filters, by the standard. */
function filteredBy(filter: number, [left, above, corner]: readonly [number, number, number]) {
  const by = left + above - corner
  const far = (value: number) => Math.abs(by - value)
  const paeth =
    far(left) <= far(above) && far(left) <= far(corner)
      ? left
      : far(above) <= far(corner)
        ? above
        : corner
  return [0, left, above, Math.floor((left + above) / 2), paeth][filter] ?? Number.NaN
}

/**
 * Filter of each row by the standard's advice: the least sum of differences, estimated by a third
 * of its bytes.
 */
function advisedFilters(picture: PngPicture): number[] {
  const { width, height, channels } = picture
  const bytes = withoutAlpha(picture)
  const stride = width * channels
  const byte = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (bytes[y * stride + x] ?? 0))
  return Array.from({ length: height }, (_, y) => {
    const sums = [0, 1, 2, 3, 4].map((filter) => {
      let sum = 0
      for (let x = 0; x < stride; x += 1) {
        if (Math.floor(x / 16) % 3 > 0) continue
        const corner = x < channels ? 0 : byte(x - channels, y - 1)
        const around = [byte(x - channels, y), byte(x, y - 1), corner] as const
        const difference = (byte(x, y) - filteredBy(filter, around)) & 255
        sum += difference < 128 ? difference : 256 - difference
      }
      return sum
    })
    return sums.indexOf(Math.min(...sums))
  })
}

test('a picture of any size and kind is read back as written', async (t) => {
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      const { width, height, channels } = picture
      const seen = await decoded(writer().write(picture, 'a'))
      t.deepEqual(seen, { data: withoutAlpha(picture), width, height, channels })
    }),
    { numRuns: 200 },
  )
})

test('chunks and stream have right checksums, rows the best filter', async (t) => {
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      const chunks = chunksOf(writer().write(picture, 'a'))
      t.true(chunks.every(({ isWhole }) => isWhole))
      const packed = chunks.filter(({ name }) => name === 'IDAT').map(({ content }) => content)
      const rows = inflateSync(Buffer.concat(packed))
      const stride = picture.width * picture.channels + 1
      const filters = Array.from({ length: picture.height }, (_, y) => rows[y * stride])
      t.deepEqual(filters, advisedFilters(picture))
    }),
    { numRuns: 100 },
  )
})

test('a picture’s bytes do not depend on earlier pictures', async (t) => {
  await fc.assert(
    fc.asyncProperty(pictures, fc.nat(), fc.nat(255), async (picture, place, value) => {
      const pixels = Buffer.from(picture.pixels)
      pixels[place % pixels.length] = value
      const changed = { ...picture, pixels }
      const known = writer()
      known.write(picture, 'a')
      known.write(changed, 'a')
      const alone = writer().write(changed, 'a')
      t.deepEqual(known.write(changed, 'a'), alone)
      t.deepEqual(writer(0).write(changed, 'a'), alone)
      t.deepEqual(known.write(picture, 'a'), writer().write(picture, 'a'))
    }),
    { numRuns: 100 },
  )
})

/** Noise of 640 x 320 px; the rows from 40 to 70 differ for each number. */
function templated(number: number): PngPicture {
  const size: Size = { width: 640, height: 320 }
  const pixels = Buffer.alloc(size.width * size.height * 4)
  const [start, end] = [40 * size.width * 4, 70 * size.width * 4]
  for (let at = 0; at < pixels.length; at += 1) {
    const seed = at >= start && at < end ? at + number : at
    pixels[at] = Math.imul(seed, 2_654_435_761) >>> 13
  }
  return { ...size, channels: 3, pixels }
}

test('a picture of many mixed blocks is read back unchanged', async (t) => {
  const picture = templated(3)
  const { pixels, width } = picture
  for (let at = 0; at < pixels.length; at += 1) {
    const x = Math.floor(at / 4) % width
    if (x < width / 4) pixels[at] = 90
    else if (x < width / 2) pixels[at] = x >> 3
  }
  const seen = await decoded(writer().write(picture, 'a'))
  t.deepEqual(seen.data, withoutAlpha(picture))
})

const idatsOf = (png: Buffer) => chunksOf(png).filter(({ name }) => name === 'IDAT')

test('only the changed bands of a similar picture differ', async (t) => {
  const same = writer(2 ** 22)
  const [one, other] = [same.write(templated(1), 'a'), same.write(templated(2), 'a')]
  const before = new Set(idatsOf(one).map(({ content }) => content.toString('base64')))
  const changed = idatsOf(other).filter(({ content }) => !before.has(content.toString('base64')))
  // Two bands of 32 rows have words; the end has the checksum of all.
  t.is(changed.length, 3)
})

test('only the last few very small pictures are compared', (t) => {
  const same = writer(2 ** 25)
  const dot = (number: number): PngPicture => {
    const pixels = Buffer.alloc(4, 255)
    pixels.writeUIntLE(number, 0, 3)
    return { width: 1, height: 1, channels: 3, pixels }
  }
  for (let number = 0; number < 100; number += 1) same.write(dot(number), 'a')
  let compared = 0
  const next = dot(100)
  next.pixels.compare = (...edges: readonly unknown[]) => {
    compared += 1
    return Buffer.prototype.compare.apply(next.pixels, edges as Parameters<Buffer['compare']>)
  }
  same.write(next, 'a')
  t.is(compared, 64)
})
