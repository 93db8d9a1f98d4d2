import type { BakeDocument } from '../queue/tasks.ts'

type Code = NonNullable<BakeDocument['code']>

/**
 * Times at which an element with custom code is painted, ms from its begin: on the grid of the
 * film's frames, and the last one where it stops. Rounded to tenths, the resolution of Chromium's
 * animations: between two tenths it picks either at random.
 */
export function animationTimes({ until, frameRate }: Pick<Code, 'until' | 'frameRate'>): number[] {
  const steps = Math.ceil(until * frameRate - 1e-6)
  return Array.from({ length: steps + 1 }, (_, k) => {
    return Math.round(Math.min(k / frameRate, until) * 1e4) / 10
  })
}
