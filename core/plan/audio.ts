import type { ResolvedAudio, ResolvedProject } from '../project/resolved.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { playedSeconds } from '../timeline/length.ts'
import type { TimedElement, TimedScene, Timeline } from '../timeline/types.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { type AudioClip, audioSampleRate, type Fade } from './plan.ts'

/**
 * Returns all sound of the film: audio items and the sound of clips, cut at the end of their scene and
 * of the film. Scenes with a transition, and linked clips, cross-fade for as long as their pictures do.
 */
export function audioClips(
  project: ResolvedProject,
  { timeline, facts }: { timeline: Timeline; facts: Facts },
): AudioClip[] {
  const filmEnd = timeline.frames / timeline.frameRate
  const whole = { begin: 0, end: filmEnd, fades: [], elements: timeline.elements }
  const containers = [
    { container: project, within: whole },
    ...project.scenes.flatMap((container, i) => {
      const scene = timeline.scenes[i]
      if (!scene) return []
      const { begin, elements } = scene
      const end = Math.min(filmEnd, scene.end)
      const fades = sceneFades(scene, timeline.scenes[i - 1])
      return [{ container, within: { begin, end, fades, elements } }]
    }),
  ]
  return containers.flatMap(({ container: { audios, visuals }, within }) => [
    ...audios
      .toSorted((a, b) => a.track - b.track)
      .flatMap((audio) => clipOfAudio(audio, within, facts)),
    ...visuals.flatMap((visual) => clipOfVisual(visual, within, facts)),
  ])
}

/** Film seconds of a scene or of the whole film, and the fades of all its sound. */
type Within = {
  readonly begin: number
  readonly end: number
  readonly fades: readonly Fade[]
  readonly elements: readonly TimedElement[]
}

function sceneFades(scene: TimedScene, before: TimedScene | undefined): Fade[] {
  const overlap = before?.transition?.seconds ?? 0
  const own = scene.transition?.seconds ?? 0
  return [
    ...fade('in', scene.begin, scene.begin + overlap),
    ...fade('out', scene.end - own, scene.end),
  ]
}

function clipOfAudio(audio: ResolvedAudio, within: Within, facts: Facts): AudioClip[] {
  const media = facts.media.get(mediaKey({ expect: 'audio', url: audio.src }))
  if (!media) return []
  const { field, audioBegin: from, volume, speed } = audio
  const begin = within.begin + audio.enter
  const exit =
    audio.matchDuration || audio.exit === undefined ? within.end : within.begin + audio.exit
  const end = Math.min(within.end, exit, begin + playedSeconds(audio, facts))
  return stretch({ media, field, begin, end, from, volume, speed, fades: within.fades })
}

/** Returns a clip's sound, which is silent while the clip holds its last frame. */
function clipOfVisual(visual: ResolvedVisual, within: Within, facts: Facts): AudioClip[] {
  const { recording } = visualTypeOf(visual)
  if (!recording) return []
  const { elements } = within
  const place = elements.findIndex(({ field }) => field === visual.field)
  const element = elements[place]
  const { medium, from, volume, speed, hasAudio } = recording.sound(visual)
  const media = facts.media.get(mediaKey(medium))
  const isHeard = media && 'hasAudio' in media.facts && media.facts.hasAudio && hasAudio !== false
  if (!element || !isHeard) return []
  const { begin, link } = element
  const played = recording.seconds(visual, facts, element)
  const end = Math.min(within.end, element.end, begin + played)
  const before = elements.find((other) => other.link?.into === place)?.link
  const fades = [
    ...within.fades,
    ...(before ? fade('in', before.begin, before.end) : []),
    ...(link ? fade('out', link.begin, link.end) : []),
  ]
  return stretch({ media, field: visual.field, begin, end, from, volume, speed, fades })
}

/** Converts seconds to whole samples; empty when nothing would be heard. */
function stretch({
  media,
  begin,
  end,
  from,
  fades,
  ...rest
}: Pick<AudioClip, 'field' | 'volume' | 'speed' | 'fades'> & {
  readonly media: { readonly digest: string }
  readonly begin: number
  readonly end: number
  readonly from: number
}): AudioClip[] {
  const at = samples(begin)
  const length = samples(end) - at
  if (length <= 0 || rest.volume === 0) return []
  const touched = fades.filter((each) => each.at < at + length && at < each.at + each.length)
  return [{ ...rest, digest: media.digest, at, from: samples(from), length, fades: touched }]
}

function fade(way: Fade['way'], begin: number, end: number): Fade[] {
  const at = samples(begin)
  const length = samples(end) - at
  return length > 0 ? [{ way, at, length }] : []
}

const samples = (seconds: number) => Math.round(seconds * audioSampleRate)
