import test from 'ava'
import fc from 'fast-check'
import type { Canvas } from '../../../worker/paint/canvas.ts'
import { readSmall, sizeWithin } from '../../../worker/paint/small.ts'
import { SurfacePools } from '../../../worker/paint/surface-pool.ts'
import { backends } from './backends.ts'

/** A canvas whose columns are `even` and `odd` by turns, in another size. */
async function smallOf(
  backend: Canvas,
  [even, odd]: readonly [string, string],
  from: { width: number; height: number },
  to: { width: number; height: number },
) {
  const pools = new SurfacePools(backend)
  const surface = pools.ofSize(from.width, from.height).take()
  for (let x = 0; x < from.width; x += 1) {
    surface.context.fillStyle = x % 2 === 0 ? even : odd
    surface.context.fillRect(x, 0, 1, from.height)
  }
  return readSmall(surface, { backend, pools, from, to })
}

test('a size within another has its shape, and is never larger', (t) => {
  t.deepEqual(sizeWithin({ width: 1200, height: 630 }, 640), { width: 640, height: 336 })
  t.deepEqual(sizeWithin({ width: 1080, height: 1920 }, 640), { width: 360, height: 640 })
  t.deepEqual(sizeWithin({ width: 160, height: 90 }, 640), { width: 160, height: 90 })
  t.deepEqual(sizeWithin({ width: 4000, height: 2 }, 640), { width: 640, height: 1 })
})

for (const backend of backends) {
  if ('missing' in backend) {
    test.skip(`${backend.title} (${backend.missing})`, () => undefined)
    continue
  }
  const { title, canvas } = backend
  test(`${title}: a picture made smaller loses no column, however much smaller`, async (t) => {
    for (const width of [960, 640, 480, 333, 250, 160, 67]) {
      const from = { width: 960, height: 40 }
      const to = { width, height: Math.ceil((40 * width) / 960) }
      const small = await smallOf(canvas, ['#000000', '#ffffff'], from, to)
      t.is(small.length, to.width * to.height * 4)
      const greys = Array.from({ length: width }, (_, x) => small[x * 4] ?? 0)
      const mean = greys.reduce((sum, grey) => sum + grey, 0) / width
      t.true(Math.abs(mean - 127.5) < 8, `${width}: ${mean}`)
      if (width <= 480)
        t.true(
          greys.every((grey) => Math.abs(grey - 127.5) < 64),
          `${width}: ${greys}`,
        )
    }
  })

  test(`${title}: a small picture is opaque, its translucency laid over white`, async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (width) => {
        const small = await smallOf(
          canvas,
          ['#0000ff80', '#0000ff80'],
          { width: 300, height: 30 },
          { width, height: 30 },
        )
        t.deepEqual(
          [...small.subarray(0, 4)].map((value) => Math.round(value / 2)),
          [64, 64, 128, 128],
        )
      }),
      { numRuns: 20 },
    )
  })
}
