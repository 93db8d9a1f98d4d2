import type { JobView } from './farm-client.ts'

/** Frames a second so far, and seconds left; undefined while nothing can be said. */
export type Pace = { readonly rate?: number; readonly secondsLeft?: number }

/** Frames that were in the store already are not counted: they say nothing about the speed. */
type Sample = { readonly atMs: number; readonly painted: number }

const windowMs = 6_000

/**
 * Tells the pace from one look at the job after the other: over the last seconds while frames come,
 * so that it follows the fleet.
 */
export function createPace(): (frames: JobView['frames'], nowMs: number) => Pace {
  const samples: Sample[] = []
  return ({ total, done, reused }, nowMs) => {
    const painted = done - reused
    if (total === 0) return {}
    if (painted !== samples.at(-1)?.painted) samples.push({ atMs: nowMs, painted })
    while (samples.length > 2 && (samples[1]?.atMs ?? nowMs) < nowMs - windowMs) samples.shift()
    const first = samples[0]
    if (!first || painted === first.painted || nowMs <= first.atMs) return {}
    const rate = ((painted - first.painted) / (nowMs - first.atMs)) * 1000
    return { rate, secondsLeft: (total - done) / rate }
  }
}
