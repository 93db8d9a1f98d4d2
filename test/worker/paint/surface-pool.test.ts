import test from 'ava'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { SurfacePools } from '../../../worker/paint/surface-pool.ts'

const [width, height] = [64, 32] as const
const bytes = width * height * 4

/** Number of five released surfaces that are acquired again. */
function keptOf(pools: SurfacePools): number {
  const pool = pools.ofSize(width, height)
  const takeFive = () => Array.from({ length: 5 }, () => pool.take())
  const before = takeFive()
  for (const surface of before) pool.give(surface)
  return takeFive().filter((surface) => before.includes(surface)).length
}

test('released surfaces are kept up to a limit of bytes', (t) => {
  const canvas = openNapiCanvas()
  t.is(keptOf(new SurfacePools(canvas)), 5)
  t.is(keptOf(new SurfacePools(canvas, 2 * bytes)), 2)
  t.is(keptOf(new SurfacePools(canvas, bytes - 1)), 0)
})
