import type { Job } from '../../client/farm-client.ts'

/** Frames a second so far, and seconds left; both absent while nothing is known. */
export type Pace = { readonly rate?: number; readonly secondsLeft?: number }

type FrameCounts = Pick<Job['frames'], 'total' | 'done' | 'reused'>

/** Nodes report frames every few seconds, so a rate over less time would jump. */
const minimumMs = 1_500
/** A few frames of a film's beginning say nothing about the rest. */
const minimumShare = 0.05

/**
 * Measures the pace over successive looks at the job: the mean since its first counted frames.
 * Frames that the store already had say nothing about the speed and are left out.
 */
export function createPace(): (frames: FrameCounts, nowMs: number) => Pace {
  let beganMs: number | undefined
  return ({ total, done, reused }, nowMs) => {
    if (total === 0) return {}
    beganMs ??= nowMs
    const painted = done - reused
    const elapsedMs = nowMs - beganMs
    if (elapsedMs < minimumMs || painted < minimumShare * (total - reused)) return {}
    const rate = (painted / elapsedMs) * 1000
    return rate > 0 ? { rate, secondsLeft: (total - done) / rate } : {}
  }
}
