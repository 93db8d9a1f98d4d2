import { hasClip } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import { framePixels } from './fingerprint.ts'
import type { Plan, Segment } from './plan.ts'

/** Digests of the inputs of tasks, except their segments. */

/** Pictures that a still reads. */
export function stillPixels(plan: Plan): string[] {
  return framePixels(plan.timeline, 0)
}

/**
 * Pictures that a film's thumbnail is painted from. Undefined where it is not painted: the customer
 * gave it, or its frame shows a clip, which would be decoded again. Then it is cut from the film.
 */
export function thumbnailPixels({ timeline, output }: Plan): string[] | undefined {
  const { thumbnailFrame, thumbnailPicture } = output
  if (thumbnailPicture !== undefined) return undefined
  if (hasClip(describeFrame(timeline, thumbnailFrame).commands)) return undefined
  return framePixels(timeline, thumbnailFrame)
}

/**
 * Returns the segment that the thumbnail is cut from; undefined: it is painted, or the customer gave it.
 */
export function thumbnailSegment(plan: Plan): Segment | undefined {
  const { thumbnailFrame, thumbnailPicture } = plan.output
  if (thumbnailPicture !== undefined || thumbnailPixels(plan)) return undefined
  return plan.segments.find(({ start, frames }) => thumbnailFrame < start + frames)
}

/** Digests that assembling a film reads: its sounds, and its thumbnail's pictures. */
export function assembleDigests(plan: Plan): string[] {
  const { thumbnailPicture } = plan.output
  const given = thumbnailPicture === undefined ? [] : [thumbnailPicture]
  const sounds = plan.audio.map(({ digest }) => digest)
  return [...new Set([...sounds, ...given, ...(thumbnailPixels(plan) ?? [])])]
}
