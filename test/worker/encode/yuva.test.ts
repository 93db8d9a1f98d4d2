import test from 'ava'
import fc from 'fast-check'
import { toYuva } from '../../../worker/encode/yuv/yuva.ts'

const size = { width: 6, height: 4 }
const pixels = size.width * size.height

/** BT.709, limited range, of straight values 0..255. */
const exact = ([r, g, b]: readonly number[]) => {
  const [red, green, blue] = [(r ?? 0) / 255, (g ?? 0) / 255, (b ?? 0) / 255]
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  const u = (blue - luma) / 1.8556
  const v = (red - luma) / 1.5748
  return { y: 16 + 219 * luma, u: 128 + 224 * u, v: 128 + 224 * v }
}

const pixel = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.oneof(fc.constant(0), fc.nat(255)))
  .map(([r, g, b, a]) => [...[r, g, b].map((c) => Math.round((c * a) / 255)), a])

test('blending as YUVA equals blending as RGBA', (t) => {
  fc.assert(
    fc.property(
      fc.array(pixel, { minLength: pixels, maxLength: pixels }),
      fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)),
      (rgba, below) => {
        const yuva = toYuva(Buffer.from(rgba.flat()), size)
        const under = exact(below)
        for (let y = 0; y < size.height; y += 2) {
          for (let x = 0; x < size.width; x += 2) {
            const corners = [0, 1, size.width, size.width + 1].map((d) => y * size.width + x + d)
            const blended = corners.map((at) => {
              const [r = 0, g = 0, b = 0, a = 0] = rgba[at] ?? []
              const through = (1 - a / 255) as number
              return exact([r, g, b].map((c, i) => c + (below[i] ?? 0) * through))
            })
            for (const [i, at] of corners.entries()) {
              const alpha = (yuva[(pixels * 3) / 2 + at] ?? 0) / 255
              const seen = under.y * (1 - alpha) + (yuva[at] ?? 0) * alpha
              t.true(Math.abs(seen - (blended[i]?.y ?? 0)) <= 1.5, 'luma')
            }
            const alpha =
              corners.reduce((sum, at) => sum + (yuva[(pixels * 3) / 2 + at] ?? 0), 0) / 1020
            for (const [plane, name] of [['u'], ['v']].map(([n], i) => [i, n] as const)) {
              const at = pixels + plane * (pixels / 4) + (y / 2) * (size.width / 2) + x / 2
              const key = name as 'u' | 'v'
              const seen = under[key] * (1 - alpha) + (yuva[at] ?? 0) * alpha
              const wanted = blended.reduce((sum, each) => sum + each[key], 0) / 4
              t.true(Math.abs(seen - wanted) <= 1.5, `${key}: ${seen}, not ${wanted}`)
            }
          }
        }
      },
    ),
  )
})
