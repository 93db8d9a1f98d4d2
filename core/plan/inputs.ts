import { hasClip } from '../timeline/draw.ts'
import { describeFrame } from '../timeline/frame.ts'
import { framePixels } from './fingerprint.ts'
import type { Plan, Segment } from './plan.ts'

/** Digests of what tasks read, besides their segments. */

/** Pictures that a still reads. */
export function stillPixels(plan: Plan): string[] {
  return framePixels(plan.timeline, 0)
}

/**
 * Pictures of which a film's thumbnail is painted. Undefined: it is not painted, because the customer gave it,
 * or because its frame shows a clip, which would be decoded once more: then it is taken out of the film.
 */
export function thumbnailPixels({ timeline, output }: Plan): string[] | undefined {
  const { thumbnailFrame, thumbnailPicture } = output
  if (thumbnailPicture !== undefined) return undefined
  if (hasClip(describeFrame(timeline, thumbnailFrame).commands)) return undefined
  return framePixels(timeline, thumbnailFrame)
}

/** The segment that the thumbnail is taken out of; undefined: it is painted, or the customer gave it. */
export function thumbnailSegment(plan: Plan): Segment | undefined {
  const { thumbnailFrame, thumbnailPicture } = plan.output
  if (thumbnailPicture !== undefined || thumbnailPixels(plan)) return undefined
  return plan.segments.find(({ start, frames }) => thumbnailFrame < start + frames)
}

/** What putting a film together reads: its sounds, and what its thumbnail shows. */
export function assembleDigests(plan: Plan): string[] {
  const { thumbnailPicture } = plan.output
  const given = thumbnailPicture === undefined ? [] : [thumbnailPicture]
  const sounds = plan.audio.map(({ digest }) => digest)
  return [...new Set([...sounds, ...given, ...(thumbnailPixels(plan) ?? [])])]
}
