import test from 'ava'
import type { ColorFilter } from '../../../core/timeline/draw.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { backends } from './backends.ts'
import { frameOf, picture } from './commands.ts'
import { album, pixelAt, pixelsOf, type Rgba } from './textures.ts'

const size = { width: 96, height: 64 }

const pictures = {
  plain: pixelsOf(size.width, size.height, () => [200, 100, 40, 255]),
  faint: pixelsOf(size.width, size.height, () => [200, 100, 40, 102]),
  edge: pixelsOf(size.width, size.height, (x) => (x < 48 ? [0, 0, 0, 255] : [255, 255, 255, 255])),
  wideEdge: pixelsOf(size.width * 8, size.height * 8, (x) =>
    x < 48 * 8 ? [0, 0, 0, 255] : [255, 255, 255, 255],
  ),
  hole: pixelsOf(size.width, size.height, (x) => (x < 48 ? [255, 0, 0, 255] : [0, 0, 0, 0])),
}

/** Worked out by hand from the CSS definitions. */
const onPlain: [what: string, filter: ColorFilter, expected: Rgba][] = [
  ['brightness multiplies', { brightness: 1.2 }, [240, 120, 48, 255]],
  ['brightness stops at white', { brightness: 2 }, [255, 200, 80, 255]],
  ['contrast spreads about the middle', { contrast: 1.5 }, [236, 86, 0, 255]],
  ['contrast follows brightness', { brightness: 0.5, contrast: 2 }, [73, 0, 0, 255]],
  ['saturate 0 leaves the luminance', { saturate: 0 }, [117, 117, 117, 255]],
  ['hue turns by half a circle', { hue: 180 }, [34, 134, 194, 255]],
  ['invert turns round', { invert: 1 }, [55, 155, 215, 255]],
  ['invert by half is grey', { invert: 0.5 }, [128, 128, 128, 255]],
  ['tint multiplies channels', { tint: [0.5, 1, 0.25] }, [100, 100, 10, 255]],
  ['tint comes after invert', { invert: 1, tint: [1, 0, 1] }, [55, 0, 215, 255]],
  ['blur leaves an even picture', { blur: 6 }, [200, 100, 40, 255]],
]

for (const backend of backends) {
  if ('missing' in backend) {
    test.skip(`${backend.title} filters colours (${backend.missing})`, () => undefined)
    continue
  }
  const { canvas, title } = backend
  const painter = createPainter({ backend: canvas, ...size, bitmap: album(canvas, pictures) })
  const paint = (digest: keyof typeof pictures, filter: ColorFilter) =>
    painter.paint(
      frameOf(size, picture(digest, pictures[digest], { dest: [0, 0, 96, 64], filter })),
    )

  for (const [what, filter, expected] of onPlain) {
    test(`${title}: ${what}`, async (t) => {
      const pixels = await paint('plain', filter)
      const at: [number, number][] = [
        [0, 0],
        [95, 63],
        [40, 30],
      ]
      for (const place of at) {
        const seen = pixelAt(pixels, size.width, place)
        const close = seen.every(
          (value, channel) => Math.abs(value - (expected[channel] ?? 0)) <= 1,
        )
        t.true(close, `expected about ${expected}. Got ${seen}`)
      }
    })
  }

  test(`${title}: colours change under their alpha, which stays`, async (t) => {
    const [red, green, blue, alpha] = pixelAt(
      await paint('faint', { invert: 1 }),
      size.width,
      [9, 9],
    )
    t.is(alpha, 102)
    t.true(Math.abs(red - 22) <= 1 && Math.abs(green - 62) <= 1 && Math.abs(blue - 86) <= 1)
  })

  for (const [what, digest, blur] of [
    ['a narrow blur', 'edge', 2],
    ['a wide blur, worked out on a smaller copy,', 'edge', 10],
    ['a blur of a picture that is drawn smaller', 'wideEdge', 5],
  ] as const) {
    test(`${title}: ${what} has its deviation in px of the canvas`, async (t) => {
      const pixels = await paint(digest, { blur })
      for (let x = 0; x < size.width; x++) {
        const [red, , , alpha] = pixelAt(pixels, size.width, [x, 32])
        const expected = 255 * normal((x + 0.5 - 48) / blur)
        t.true(Math.abs(red - expected) < 6, `${x}: expected about ${expected}. Got ${red}`)
        t.is(alpha, 255)
      }
    })
  }

  test(`${title}: a blur spreads colour with its alpha`, async (t) => {
    const pixels = await paint('hole', { blur: 4 })
    for (let x = 0; x < size.width; x++) {
      const [red, green, , alpha] = pixelAt(pixels, size.width, [x, 32])
      t.true(Math.abs(red - alpha) <= 1, 'premultiplied red stays full under its alpha')
      t.is(green, 0)
    }
    t.true(pixelAt(pixels, size.width, [50, 32])[3] > 40)
  })
}

/** The normal distribution (Abramowitz and Stegun 7.1.26). */
function normal(value: number): number {
  const z = Math.abs(value) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * z)
  const terms = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
  const series = terms.reduceRight((sum, term) => (sum + term) * t, 0)
  const error = 1 - series * Math.exp(-z * z)
  return value < 0 ? (1 - error) / 2 : (1 + error) / 2
}
