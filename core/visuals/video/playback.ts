import { FarmError } from '../../errors.ts'
import { epsilonFrames, perSecond, secondsOf } from '../../timeline/clip.ts'
import { type ClipFacts, clipFactsOf, type Facts } from '../../timeline/facts.ts'
import type { Play, TimedElement } from '../../timeline/types.ts'
import type { ResolvedVideo } from './resolved.ts'

/** Times are sums of decimals; two that differ by less are equal. */
const epsilonSeconds = 1e-6

export const factsOfVideo = (
  { src: url }: Pick<ResolvedVideo, 'src'>,
  facts: Pick<Facts, 'media'>,
) => clipFactsOf({ expect: 'video', url }, facts)

/**
 * Returns the playback of a VIDEO. Throws FarmError `element_invalid` when the trim leaves nothing
 * of the clip.
 */
export function playOf(visual: ResolvedVideo, clip: ClipFacts): Play {
  const { frameRate, frames } = clip
  const { begin: from, end } = trimOf(visual, clip)
  const seconds = secondsOf(clip)
  if (from >= seconds) {
    const seen = `Got ${from}, but the clip is ${Math.round(seconds * 1000) / 1000} s long`
    throw new FarmError('element_invalid', `videoBegin must lie within the clip. ${seen}.`, {
      field: `${visual.field}.videoBegin`,
    })
  }
  const rate = perSecond(frameRate)
  const first = Math.min(frames - 1, Math.floor(from * rate + epsilonFrames))
  const beyond = Math.ceil(end * rate - epsilonFrames)
  return {
    frameRate,
    from,
    speed: visual.speed,
    first,
    last: Math.min(frames, Math.max(first + 1, beyond)) - 1,
    ...(visual.frameRate !== undefined && { ownRate: visual.frameRate }),
    loops: false,
  }
}

/** Seconds that a VIDEO plays before it holds its last frame; 0 while its length is unknown. */
export function clipSeconds(video: ResolvedVideo, facts: Facts): number {
  const clip = factsOfVideo(video, facts)
  const { begin, end } = trimOf(video, clip)
  return Number.isFinite(end) ? Math.max(0, end - begin) / video.speed : 0
}

/**
 * Extends a VIDEO for the link into the clip that replaces it. If it still plays when the link
 * begins, it plays on past its trim's end, so that the transition has a picture and a sound. If it
 * already holds its last frame, it keeps holding it.
 */
export function linkedPlay(
  video: ResolvedVideo,
  { begin, link }: Pick<TimedElement, 'begin' | 'link'>,
  facts: Facts,
): ResolvedVideo {
  if (!link || begin + clipSeconds(video, facts) < link.begin - epsilonSeconds) return video
  const { videoEnd, videoDuration, ...untrimmed } = video
  return untrimmed
}

/** Seconds of the source; `end` is infinite while unknown. */
function trimOf(video: ResolvedVideo, clip: ClipFacts | undefined) {
  const { videoBegin: begin, videoEnd, videoDuration } = video
  const whole = clip ? secondsOf(clip) : Number.POSITIVE_INFINITY
  const end = Math.min(
    whole,
    videoEnd ?? whole,
    videoDuration === undefined ? whole : begin + videoDuration,
  )
  return { begin, end }
}
