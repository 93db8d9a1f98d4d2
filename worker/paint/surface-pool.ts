import type { Canvas, Surface } from './canvas.ts'

/**
 * Pool of surfaces of one size: at 1080p one holds 8 MB. It never holds more than were taken at
 * once, which the nesting of transitions and the frames in flight bound, nor more than its limit.
 */
export type SurfacePool = {
  readonly width: number
  readonly height: number
  /** Returns a transparent surface with the default state. */
  take(): Surface
  give(surface: Surface): void
}

function createSurfacePool(
  backend: Canvas,
  { width, height, freeMax }: { width: number; height: number; freeMax: number },
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
      if (free.length < freeMax) free.push(surface)
    },
  }
}

/** The boxes of elements have many sizes; few are in transition at once. */
const sizesMax = 3

/** Pools by size; the least recently used are dropped first. */
export class SurfacePools {
  readonly #backend: Canvas
  readonly #freeMaxBytes: number
  readonly #pools = new Map<string, SurfacePool>()

  /** Creates the pools. `freeMaxBytes`: limit for the free surfaces of one size. */
  constructor(backend: Canvas, freeMaxBytes = Number.POSITIVE_INFINITY) {
    this.#backend = backend
    this.#freeMaxBytes = freeMaxBytes
  }

  /** Drops all pools; surfaces still taken return to a dropped pool. */
  clear(): void {
    this.#pools.clear()
  }

  ofSize(width: number, height: number): SurfacePool {
    const key = `${width}x${height}`
    const freeMax = Math.floor(this.#freeMaxBytes / (width * height * 4))
    const pool =
      this.#pools.get(key) ?? createSurfacePool(this.#backend, { width, height, freeMax })
    this.#pools.delete(key)
    this.#pools.set(key, pool)
    const [oldest] = this.#pools.keys()
    if (this.#pools.size > sizesMax && oldest !== undefined) this.#pools.delete(oldest)
    return pool
  }
}
