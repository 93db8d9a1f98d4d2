import type { ResolvedVideo, ResolvedVisual } from '../project/resolved.ts'
import type { TimedElement } from './timeline.ts'

/**
 * The clip at `into` (place in the same list) replaces this one from `begin` to `end`, seconds of the
 * film.
 */
export type Link = {
  readonly into: number
  readonly name: string
  readonly begin: number
  readonly end: number
}

/** Times are sums of decimals; two that differ by less are the same moment. */
const epsilonSeconds = 1e-6

/**
 * Gives clips the links that they ask for. A clip leads into the one that `transitionId` names, or
 * into the next VIDEO of the list when it names none; any other name is a hard cut, and so is a clip
 * that begins before this one, or after it has ended.
 *
 * The link begins where the other clip begins, and lasts `transitionDuration`, or less where the
 * other clip is replaced or ends before. Until the link's end the first clip plays on, past its own end
 * and that of its trim (clip.ts, linkedPlay), and then it is gone: its exit does not play.
 *
 * `visuals`: in the order of the request; `elements`: theirs, in painting order.
 */
export function linkClips(
  visuals: readonly ResolvedVisual[],
  elements: readonly TimedElement[],
): TimedElement[] {
  const videos = visuals.filter((visual) => visual.type === 'VIDEO')
  const placeOf = new Map(elements.map(({ field }, i) => [field, i]))
  const pairs = new Map<number, { into: number; name: string; seconds: number }>()
  const taken = new Set<number>()
  for (const video of videos) {
    const from = placeOf.get(video.field)
    const into = placeOf.get(targetOf(video, videos)?.field ?? '')
    const { transition: name, transitionDuration: seconds } = video
    if (from === undefined || into === undefined || name === null || taken.has(into)) continue
    if (!meet(elements[from], elements[into])) continue
    taken.add(into)
    pairs.set(from, { into, name, seconds })
  }
  return elements.map((element, i) => {
    const pair = pairs.get(i)
    const other = pair && elements[pair.into]
    if (!other) return element
    const { into, name, seconds } = pair
    const next = elements[pairs.get(into)?.into ?? -1]
    const begin = other.begin
    const end = Math.min(begin + seconds, other.end, next?.begin ?? other.end)
    return { ...element, end, exit: null, link: { into, name, begin, end } }
  })
}

/** The clip that a VIDEO asks to lead into; undefined = none, or none that is there. */
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

/** Whether `to` begins while `from` is seen, or just as it ends. */
export function meet(from: Seen | undefined, to: Pick<Seen, 'begin'> | undefined): boolean {
  if (!from || !to) return false
  return to.begin > from.begin + epsilonSeconds && to.begin <= from.end + epsilonSeconds
}
