import test from 'ava'
import fc from 'fast-check'
import type { Size } from '../../../core/timeline/rect.ts'
import { createYuvConverter } from '../../../worker/encode/yuv/yuv.ts'

/** BT.709, limited range, from the definition: the sum of a sample's pixels, rounded once. */
function plainYuv(rgba: Uint8Array, { width, height }: Size) {
  const even = { width: width + (width % 2), height: height + (height % 2) }
  // An odd edge repeats its last line.
  const pixel = (x: number, y: number) => {
    const at = (Math.min(y, height - 1) * width + Math.min(x, width - 1)) * 4
    return [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0] as const
  }
  const luma = ([r, g, b]: readonly number[]) =>
    0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0)
  const planes: number[][] = [[], [], []]
  for (let y = 0; y < even.height; y += 1) {
    for (let x = 0; x < even.width; x += 1) {
      planes[0]?.push(16 + (219 / 255) * luma(pixel(x, y)))
      if (x % 2 === 1 || y % 2 === 1) continue
      const four = [pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1)]
      const mean = [0, 1, 2].map((c) => four.reduce((sum, each) => sum + (each[c] ?? 0), 0) / 4)
      planes[1]?.push(128 + (224 / 255) * (((mean[2] ?? 0) - luma(mean)) / 1.8556))
      planes[2]?.push(128 + (224 / 255) * (((mean[0] ?? 0) - luma(mean)) / 1.5748))
    }
  }
  return planes.flat()
}

const frames = fc
  .record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 5 }) })
  .chain((size) => {
    const length = size.width * size.height * 4
    const bytes = fc.uint8Array({ minLength: length, maxLength: length })
    return fc.record({ size: fc.constant(size), rgba: bytes })
  })

test('every sample is limited-range BT.709 to the nearest step, in any size', (t) => {
  fc.assert(
    fc.property(frames, ({ size, rgba }) => {
      const yuv = createYuvConverter(size).convert(Buffer.from(rgba))
      const plain = plainYuv(rgba, size)
      return (
        yuv.length === plain.length &&
        plain.every((value, i) => Math.abs((yuv[i] ?? 0) - value) < 0.52)
      )
    }),
    { numRuns: 500 },
  )
  t.pass()
})

test('white, black, grey and the primaries are the standard’s own bytes', (t) => {
  const colors: [number[], number[]][] = [
    [
      [255, 255, 255],
      [235, 128, 128],
    ],
    [
      [0, 0, 0],
      [16, 128, 128],
    ],
    [
      [128, 128, 128],
      [126, 128, 128],
    ],
    [
      [255, 0, 0],
      [63, 102, 240],
    ],
    [
      [0, 255, 0],
      [173, 42, 26],
    ],
    [
      [0, 0, 255],
      [32, 240, 118],
    ],
  ]
  for (const [rgb, [y, u, v]] of colors) {
    const frame = Buffer.from(Array.from({ length: 32 * 2 }, () => [...rgb, 255]).flat())
    const yuv = createYuvConverter({ width: 32, height: 2 }).convert(frame)
    t.deepEqual([yuv[0], yuv[63], yuv[64], yuv[79], yuv[80], yuv[95]], [y, y, u, u, v, v], `${rgb}`)
  }
})

test('a converted frame stays while the next one is made', (t) => {
  const yuv = createYuvConverter({ width: 16, height: 2 })
  const white = yuv.convert(Buffer.alloc(16 * 2 * 4, 255))
  yuv.convert(Buffer.alloc(16 * 2 * 4, 0))
  t.is(white[0], 235)
})

test('a frame of another size is refused', (t) => {
  const yuv = createYuvConverter({ width: 16, height: 2 })
  t.throws(() => yuv.convert(Buffer.alloc(100)), {
    message: 'A frame must have 16x2x4 bytes. Got 100',
  })
})
