import type { Canvas, Surface } from './canvas.ts'

/**
 * Surfaces of one size, used again and again: at 1080p one holds 8 MB. It never holds more than
 * were taken at one moment, which the nesting of transitions and the frames in flight bound.
 */
export type SurfacePool = {
  /** A transparent surface with the default state. */
  take(): Surface
  give(surface: Surface): void
}

export function createSurfacePool(backend: Canvas, width: number, height: number): SurfacePool {
  const free: Surface[] = []
  return {
    take() {
      const surface = free.pop() ?? backend.createSurface(width, height)
      surface.context.reset()
      surface.context.imageSmoothingQuality = 'low'
      return surface
    },
    give: (surface) => {
      free.push(surface)
    },
  }
}
