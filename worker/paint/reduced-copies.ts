import { type Pixels, pixelsName } from '../../core/timeline/draw.ts'
import type { Rect } from '../../core/timeline/rect.ts'
import type { BitmapCache } from './bounded-cache.ts'
import type { Bitmap, Canvas } from './canvas.ts'
import type { Level } from './sampling.ts'

type Reduction = {
  readonly backend: Canvas
  readonly copies: BitmapCache
  readonly pixels: Pixels
  readonly original: Bitmap
}

/**
 * Returns the level's crop, halved step by step in a fixed order: first both axes, then the
 * remaining one. A copy has one history, so an evicted copy is recreated identically. The level
 * must have at least one halving.
 */
export function reducedCopy(reduction: Reduction, level: Level): Bitmap {
  const { backend, copies, pixels, original } = reduction
  return copies.getOrMake(levelKey(pixels, level), () => {
    const across = level.x >= level.y
    const down = level.y >= level.x
    const parent = {
      crop: level.crop,
      x: level.x - (across ? 1 : 0),
      y: level.y - (down ? 1 : 0),
    }
    if (isOriginal(parent))
      return halve({ backend, bitmap: original, part: level.crop, across, down })
    const bitmap = reducedCopy(reduction, parent)
    const part: Rect = [0, 0, bitmap.width, bitmap.height]
    return halve({ backend, bitmap, part, across, down })
  })
}

/** Returns the level's crop unscaled, so that sampling its edges reads no pixel outside of it. */
export function croppedCopy(reduction: Reduction, { crop }: Level): Bitmap {
  const { backend, copies, pixels, original } = reduction
  return copies.getOrMake(levelKey(pixels, { crop, x: 0, y: 0 }), () => {
    const [, , width, height] = crop
    const surface = backend.createSurface(width, height)
    surface.context.drawImage(original, ...crop, 0, 0, width, height)
    return surface.bitmap
  })
}

export function isOriginal(level: Pick<Level, 'x' | 'y'>): boolean {
  return level.x === 0 && level.y === 0
}

export function levelKey(pixels: Pixels, { crop, x, y }: Level): string {
  return `${pixelsName(pixels)} ${crop} ${x},${y}`
}

function halve({
  backend,
  bitmap,
  part: [left, top, width, height],
  across,
  down,
}: {
  backend: Canvas
  bitmap: Bitmap
  part: Rect
  across: boolean
  down: boolean
}): Bitmap {
  const columns = across ? pairs(width) : [whole(width)]
  const rows = down ? pairs(height) : [whole(height)]
  const surface = backend.createSurface(end(columns), end(rows))
  surface.context.imageSmoothingQuality = 'low'
  for (const x of columns) {
    for (const y of rows) {
      const source = [left + x.at, top + y.at, x.length, y.length] as const
      surface.context.drawImage(bitmap, ...source, x.to, y.to, x.size, y.size)
    }
  }
  return surface.bitmap
}

/** Maps `length` px at `at` to `size` px at `to`. */
type Strip = {
  readonly at: number
  readonly length: number
  readonly to: number
  readonly size: number
}

/**
 * Returns strips that map exactly two pixels to one, which bilinear sampling averages exactly; the
 * last of an odd count stays as it is. Stretching an odd length instead would sample some single
 * pixels.
 */
function pairs(length: number): Strip[] {
  const size = Math.floor(length / 2)
  const strips: Strip[] = []
  if (size > 0) strips.push({ at: 0, length: size * 2, to: 0, size })
  if (length % 2 === 1) strips.push({ at: length - 1, length: 1, to: size, size: 1 })
  return strips
}

function whole(length: number): Strip {
  return { at: 0, length, to: 0, size: length }
}

function end(strips: readonly Strip[]): number {
  return strips.reduce((size, strip) => size + strip.size, 0)
}
