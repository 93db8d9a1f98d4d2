import type { ClipFacts } from './facts.ts'
import type { Play } from './types.ts'

/** Tolerance of a frame's start, in frames: a time slightly too early still counts as that frame. */
export const epsilonFrames = 1e-4

/** Returns the clip frame shown `seconds` of film after the element's begin. */
export function clipFrame(play: Play, seconds: number): number {
  const { from, speed, first, last, ownRate, loops } = play
  const rate = perSecond(play.frameRate)
  let moment = from + seconds * speed
  if (ownRate !== undefined) {
    // `ownRate` counts frames from the clip's first played second.
    moment = from + Math.floor((moment - from) * ownRate + epsilonFrames) / ownRate
  }
  const frame = Math.floor(moment * rate + epsilonFrames)
  if (loops) return first + (Math.max(0, frame - first) % (last + 1 - first))
  return Math.min(last, Math.max(first, frame))
}

export function secondsOf({ frames, frameRate }: ClipFacts): number {
  return frames / perSecond(frameRate)
}

export function perSecond([over, under]: readonly [number, number]): number {
  return over / under
}
