import { FarmError } from '../errors.ts'
import type { ResolvedGif, ResolvedVideo } from '../project/resolved.ts'
import { type ClipFacts, clipFactsOf, type Facts } from './facts.ts'
import type { TimedElement } from './timeline.ts'

/**
 * Which frames of its clip an element shows: pure, so that a frame of the film names its frame of
 * the clip, wherever it is painted.
 */
export type Play = {
  /** Frames a second of the clip's constant-rate sequence, a fraction. */
  readonly frameRate: readonly [number, number]
  /** The clip's second that is seen when the element begins. */
  readonly from: number
  /** Clip seconds in a film second. */
  readonly speed: number
  /** Frames of the sequence; before the first and after the last these are held. */
  readonly first: number
  readonly last: number
  /** At most so many different frames in a second of the clip. */
  readonly ownRate?: number
  /** Starts again after the last frame. */
  readonly loops: boolean
}

/** Part of a clip's frame by which a moment may come too early and still be that frame's. */
const epsilonFrames = 1e-4
/** Times are sums of decimals; two that differ by less are the same moment. */
const epsilonSeconds = 1e-6

/** Throws FarmError `element_invalid` when the trim leaves nothing of the clip. */
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

/** The frame of the clip's sequence that is seen `seconds` of film after the element began. */
export function clipFrame(play: Play, seconds: number): number {
  const { from, speed, first, last, ownRate, loops } = play
  const rate = perSecond(play.frameRate)
  let moment = from + seconds * speed
  if (ownRate !== undefined) {
    // The clip's own frames are counted from where it begins to play.
    moment = from + Math.floor((moment - from) * ownRate + epsilonFrames) / ownRate
  }
  const frame = Math.floor(moment * rate + epsilonFrames)
  if (loops) return first + (Math.max(0, frame - first) % (last + 1 - first))
  return Math.min(last, Math.max(first, frame))
}

/** How long a VIDEO plays before it holds its last frame; 0 while nothing says how long it is. */
export function clipSeconds(video: ResolvedVideo, facts: Facts): number {
  const clip = clipFactsOf(video, facts)
  const { begin, end } = trimOf(video, clip)
  return Number.isFinite(end) ? Math.max(0, end - begin) / video.speed : 0
}

/**
 * What a VIDEO plays, given the link into the clip that replaces it: one that plays until the link
 * begins plays on past its trim's end, so that there is a picture and a sound to lead from. One that
 * holds its last frame by then goes on holding it.
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

/** Seconds of the source; `end` is infinite while nothing says where that is. */
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
