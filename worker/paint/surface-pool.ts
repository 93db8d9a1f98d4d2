import type { Canvas, Surface } from './canvas.ts'

/**
 * Surfaces of one size, used again and again: at 1080p one holds 8 MB. It never holds more than
 * were taken at one moment, which the nesting of transitions and the frames in flight bound, and no more than it may keep.
 */
export type SurfacePool = {
  readonly width: number
  readonly height: number
  /** A transparent surface with the default state. */
  take(): Surface
  give(surface: Surface): void
}

function createSurfacePool(
  backend: Canvas,
  { width, height, kept }: { width: number; height: number; kept: number },
): SurfacePool {
  const free: Surface[] = []
  return {
    width,
    height,
    take() {
      const surface = free.pop() ?? backend.createSurface(width, height)
      surface.context.reset()
      surface.context.imageSmoothingQuality = 'low'
      return surface
    },
    give: (surface) => {
      if (free.length < kept) free.push(surface)
    },
  }
}

/** The boxes of elements have sizes of their own; few are in transition at once. */
const keptSizes = 3

/** Pools by size, the least recently asked for dropped first. */
export class SurfacePools {
  readonly #backend: Canvas
  readonly #keptMaxBytes: number
  readonly #pools = new Map<string, SurfacePool>()

  /** `keptMaxBytes`: of the free surfaces of one size; more of them are made anew. */
  constructor(backend: Canvas, keptMaxBytes = Number.POSITIVE_INFINITY) {
    this.#backend = backend
    this.#keptMaxBytes = keptMaxBytes
  }

  /** Surfaces that are taken still come back to pools that nobody asks any more. */
  clear(): void {
    this.#pools.clear()
  }

  ofSize(width: number, height: number): SurfacePool {
    const key = `${width}x${height}`
    const kept = Math.floor(this.#keptMaxBytes / (width * height * 4))
    const pool = this.#pools.get(key) ?? createSurfacePool(this.#backend, { width, height, kept })
    this.#pools.delete(key)
    this.#pools.set(key, pool)
    const [oldest] = this.#pools.keys()
    if (this.#pools.size > keptSizes && oldest !== undefined) this.#pools.delete(oldest)
    return pool
  }
}
