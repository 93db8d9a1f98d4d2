import type { Facts } from '../../timeline/facts.ts'
import type { TimedElement } from '../../timeline/types.ts'
import type { ResolvedVisual } from '../resolved.ts'
import { factsOfVideo, linkedPlay, playOf } from './playback.ts'
import type { ResolvedVideo } from './resolved.ts'

/** Times are sums of decimals; two that differ by less are equal. */
const epsilonSeconds = 1e-6

/**
 * Links clips by their transitions. A clip leads into the one that `transitionId` names, or into
 * the next VIDEO of the list when it names none. Any other name is a hard cut, and so is a target
 * that begins before this clip, or after its end.
 *
 * A link begins where the target begins, and lasts `transitionDuration`, or less where the target
 * is replaced or ends earlier. The first clip plays on until the link's end, past its own end and
 * that of its trim (playback.ts, linkedPlay). Then it is gone: its exit does not play.
 *
 * `visuals`: in the order of the request; `elements`: theirs, in painting order.
 */
export function linkClips(
  visuals: readonly ResolvedVisual[],
  elements: readonly TimedElement[],
  facts: Facts,
): TimedElement[] {
  const videos = videosOf(visuals)
  const placeOf = new Map(elements.map(({ field }, i) => [field, i]))
  const pairs = new Map<
    number,
    { video: ResolvedVideo; into: number; name: string; seconds: number }
  >()
  const taken = new Set<number>()
  for (const video of videos) {
    const from = placeOf.get(video.field)
    const into = placeOf.get(targetOf(video, videos)?.field ?? '')
    const { transition: name, transitionDuration: seconds } = video
    if (from === undefined || into === undefined || name === null || taken.has(into)) continue
    if (!meet(elements[from], elements[into])) continue
    taken.add(into)
    pairs.set(from, { video, into, name, seconds })
  }
  return elements.map((element, i) => {
    const pair = pairs.get(i)
    const other = pair && elements[pair.into]
    if (!other) return element
    const { video, into, name, seconds } = pair
    const next = elements[pairs.get(into)?.into ?? -1]
    const begin = other.begin
    const end = Math.min(begin + seconds, other.end, next?.begin ?? other.end)
    const linked = { ...element, end, exit: null, link: { into, name, begin, end } }
    const clip = factsOfVideo(video, facts)
    return clip ? { ...linked, play: playOf(linkedPlay(video, linked, facts), clip) } : linked
  })
}

export function videosOf(visuals: readonly ResolvedVisual[]): ResolvedVideo[] {
  return visuals.filter((visual) => visual.type === 'VIDEO')
}

/** Returns the clip that a VIDEO should lead into; undefined = none, or unknown. */
export function targetOf(
  video: ResolvedVideo,
  videos: readonly ResolvedVideo[],
): ResolvedVideo | undefined {
  const { transitionDuration, transitionId } = video
  if (transitionDuration === 0 || transitionId === 'none') return undefined
  if (transitionId === undefined) return videos[videos.indexOf(video) + 1]
  return videos.find((other) => other !== video && other.id === transitionId)
}

type Seen = Pick<TimedElement, 'begin' | 'end'>

/** True where `to` begins while `from` is shown, or just as it ends. */
export function meet(from: Seen | undefined, to: Pick<Seen, 'begin'> | undefined): boolean {
  if (!from || !to) return false
  return to.begin > from.begin + epsilonSeconds && to.begin <= from.end + epsilonSeconds
}
