import type { Size } from '../../core/timeline/rect.ts'
import type { Canvas, Surface } from './canvas.ts'
import type { SurfacePools } from './surface-pool.ts'

/** Returns the size scaled down to at most `side` px a side. */
export function sizeWithin({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height))
  const scaled = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: scaled(width), height: scaled(height) }
}

/** Returns the surface as opaque RGBA of another size, over white. */
export async function readSmall(
  surface: Surface,
  { backend, pools, from, to }: { backend: Canvas; pools: SurfacePools; from: Size; to: Size },
): Promise<Buffer> {
  const sizes = steps(from, to)
  const surfaces = sizes.map(({ width, height }) => pools.ofSize(width, height).take())
  const small = surfaces.at(-1)
  if (!small) throw new Error('A picture is drawn in one step or more. Got none')
  small.context.fillStyle = '#ffffff'
  small.context.fillRect(0, 0, to.width, to.height)
  for (const [at, { context }] of surfaces.entries()) {
    const above = surfaces[at - 1] ?? surface
    const [before = from, now = to] = [sizes[at - 1], sizes[at]]
    const whole = [0, 0, before.width, before.height] as const
    context.drawImage(above.bitmap, ...whole, 0, 0, now.width, now.height)
  }
  const pixels = await backend.readPixels(small)
  for (const [at, each] of surfaces.entries()) {
    const { width, height } = sizes[at] ?? to
    pools.ofSize(width, height).give(each)
  }
  return pixels
}

/**
 * Returns the sizes to draw in turn. Each halves as long as possible: drawing reads four pixels for
 * one, so none is skipped.
 */
function steps({ width, height }: Size, to: Size): Size[] {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  return half.width > to.width && half.height > to.height ? [half, ...steps(half, to)] : [to]
}
