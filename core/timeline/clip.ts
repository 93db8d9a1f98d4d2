import { FarmError } from '../errors.ts'
import type { ResolvedGif } from '../visuals/gif/resolved.ts'
import type { ResolvedVideo } from '../visuals/video/resolved.ts'
import { type ClipFacts, clipFactsOf, type Facts } from './facts.ts'
import type { Play, TimedElement } from './types.ts'

/** Tolerance of a frame's start, in frames: a time slightly too early still counts as that frame. */
const epsilonFrames = 1e-4
/** Times are sums of decimals; two that differ by less are equal. */
const epsilonSeconds = 1e-6

/**
 * Returns the playback of a clip. Throws FarmError `element_invalid` when the trim leaves nothing of it.
 */
export function playOf(visual: ResolvedVideo | ResolvedGif, clip: ClipFacts): Play {
  const { frameRate, frames } = clip
  if (visual.type === 'GIF') {
    return { frameRate, from: 0, speed: 1, first: 0, last: frames - 1, loops: true }
  }
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

/** Seconds that a VIDEO plays before it holds its last frame; 0 while its length is unknown. */
export function clipSeconds(video: ResolvedVideo, facts: Facts): number {
  const clip = clipFactsOf(video, facts)
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

function secondsOf({ frames, frameRate }: ClipFacts): number {
  return frames / perSecond(frameRate)
}

function perSecond([over, under]: readonly [number, number]): number {
  return over / under
}
