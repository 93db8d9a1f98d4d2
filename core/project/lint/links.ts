import type { ResolvedVisual } from '../../visuals/resolved.ts'
import { meet, targetOf, videosOf } from '../../visuals/video/links.ts'
import type { ResolvedVideo } from '../../visuals/video/resolved.ts'
import type { Warning } from './warning.ts'

/**
 * Warns of transitions between clips that will not play, and of ids that two clips share.
 * `visuals`: of a scene or of the project; `length`: its length, s; infinite = not known yet.
 */
export function brokenLinks(
  visuals: readonly ResolvedVisual[],
  length = Number.POSITIVE_INFINITY,
): Warning[] {
  const videos = videosOf(visuals)
  const taken = new Map<ResolvedVideo, ResolvedVideo>()
  return videos.flatMap((video) => {
    const into = targetOf(video, videos)
    const before = into && taken.get(into)
    const reason = whyNoLink(video, into, length) ?? (before && alreadyTaken(before))
    if (into && !reason && video.transition !== null) taken.set(into, video)
    return [...sharedId(video, videos), ...(reason ? [warningOf(video, reason)] : [])]
  })
}

function warningOf({ field, transitionId }: ResolvedVideo, message: string): Warning {
  const key = transitionId === undefined ? 'transition' : 'transitionId'
  return { field: `${field}.${key}`, code: 'link_ignored', message }
}

/** Returns why a clip's transition will not play; undefined where it plays, or none is intended. */
function whyNoLink(
  video: ResolvedVideo,
  into: ResolvedVideo | undefined,
  length: number,
): string | undefined {
  const { transition, transitionId, transitionDuration, enterBegin, exitEnd = length } = video
  if (transitionId === 'none') return undefined
  if (transition === null) {
    return transitionId === undefined
      ? undefined
      : 'transitionId only has an effect with a transition. Got none.'
  }
  if (transitionDuration === 0)
    return `transition ${transition} is not played, because transitionDuration is 0 s.`
  if (!into) {
    const rule = 'transitionId must be the id of another VIDEO beside this one, or none'
    return transitionId === undefined
      ? `transition ${transition} is not played, because no VIDEO follows this one.`
      : `${rule}. Got ${JSON.stringify(transitionId)}: a hard cut.`
  }
  const end = Math.min(exitEnd, length)
  if (meet({ begin: enterBegin, end }, { begin: into.enterBegin })) return undefined
  const rule =
    'A transition needs a next VIDEO that begins while this one is visible, or just as it ends'
  const until = Number.isFinite(end) ? ` to ${end}` : ' on'
  const seen = `${into.field} begins at ${into.enterBegin}, this one is visible from ${enterBegin}${until}`
  return `${rule}. ${seen}: a hard cut.`
}

function alreadyTaken({ field }: ResolvedVideo): string {
  return `Only one transition can lead into a VIDEO, and ${field} already leads into the same one: a hard cut.`
}

function sharedId(video: ResolvedVideo, videos: readonly ResolvedVideo[]): Warning[] {
  const { field, id } = video
  const first = videos.find((other) => other.id === id)
  if (id === undefined || !first || first === video) return []
  const message = `id must be unique among the VIDEO visuals. ${first.field} has ${JSON.stringify(id)} too, and a transitionId finds that one.`
  return [{ field: `${field}.id`, code: 'duplicate_id', message }]
}
