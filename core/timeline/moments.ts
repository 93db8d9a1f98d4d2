import type { BakeDocument } from '../tasks.ts'

type Code = NonNullable<BakeDocument['code']>

/**
 * The moments at which an element that custom code moves is painted, ms from its begin: on the grid of
 * the film's frames, and the last one where it stops. Whole tenths: Chromium's animations know no finer
 * time, and toss which of two a time between them is.
 */
export function momentsOf({ until, frameRate }: Pick<Code, 'until' | 'frameRate'>): number[] {
  const steps = Math.ceil(until * frameRate - 1e-6)
  return Array.from({ length: steps + 1 }, (_, k) => {
    return Math.round(Math.min(k / frameRate, until) * 1e4) / 10
  })
}
