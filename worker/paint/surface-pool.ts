import type { Canvas, Surface } from './canvas.ts'

/**
 * Surfaces of one size, used again and again: at 1080p one holds 8 MB. It never holds more than
 * were taken at one moment, which the nesting of transitions and the frames in flight bound.
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
  { width, height, isKept }: { width: number; height: number; isKept: boolean },
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
      if (isKept) free.push(surface)
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

  /** `keptMaxBytes`: of one surface; larger ones are made anew. */
  constructor(backend: Canvas, keptMaxBytes = Number.POSITIVE_INFINITY) {
    this.#backend = backend
    this.#keptMaxBytes = keptMaxBytes
  }

  ofSize(width: number, height: number): SurfacePool {
    const key = `${width}x${height}`
    const isKept = width * height * 4 <= this.#keptMaxBytes
    const pool = this.#pools.get(key) ?? createSurfacePool(this.#backend, { width, height, isKept })
    this.#pools.delete(key)
    this.#pools.set(key, pool)
    const [oldest] = this.#pools.keys()
    if (this.#pools.size > keptSizes && oldest !== undefined) this.#pools.delete(oldest)
    return pool
  }
}
