import type {
  ResolvedAudio,
  ResolvedProject,
  ResolvedScene,
  ResolvedSubtitle,
} from '../project/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { type Facts, mediaKey } from './facts.ts'

/** Default length of a scene or project. */
const defaultSeconds = 10

/** Scene length in seconds: as given, or from its content (open-parts.md, Scene). */
export function sceneSeconds(scene: ResolvedScene, facts: Facts): number {
  if (scene.duration !== undefined) return scene.duration
  return contentSeconds(scene, facts) || defaultSeconds
}

/**
 * Seconds that each scene overlaps the next. An overlap takes at most the part of a scene that its
 * predecessor's overlap left. So at most two scenes are shown at once.
 */
export function overlapSeconds(
  scenes: readonly ResolvedScene[],
  lengths: readonly number[],
): number[] {
  let taken = 0
  return scenes.map((scene, i) => {
    const next = lengths[i + 1]
    if (next === undefined || scene.transition === null) taken = 0
    else taken = Math.min(scene.transitionDuration, (lengths[i] ?? 0) - taken, next)
    return taken
  })
}

/** Seconds of a scene in its film; it overlaps the next by `overlap`. */
type SceneTime = { readonly begin: number; readonly end: number; readonly overlap: number }

/** Times of scenes: start of scene i = start of i-1 + its duration - its overlap into i. */
export function sceneTimes(scenes: readonly ResolvedScene[], facts: Facts): SceneTime[] {
  const lengths = scenes.map((scene) => sceneSeconds(scene, facts))
  const overlaps = overlapSeconds(scenes, lengths)
  let begin = 0
  return lengths.map((length, i) => {
    const overlap = overlaps[i] ?? 0
    const time = { begin, end: begin + length, overlap }
    begin += length - overlap
    return time
  })
}

/** Frames of a film. Painted elements do not matter, so nothing need be baked. */
export function filmFrames(project: ResolvedProject, facts: Facts): number {
  if (project.type === 'image') return 1
  const sceneEnd = sceneTimes(project.scenes, facts).at(-1)?.end ?? 0
  return framesOf(filmSeconds(project, sceneEnd, facts), project)
}

export function framesOf(seconds: number, { frameRate }: { frameRate: number }): number {
  return Math.max(1, Math.round(seconds * frameRate))
}

/**
 * Film length in seconds. `sceneEnd`: end of the last scene, 0 without scenes. A still's virtual
 * timeline is long enough for its snapshot.
 */
export function filmSeconds(project: ResolvedProject, sceneEnd: number, facts: Facts): number {
  if (project.type === 'image') {
    return Math.max(defaultSeconds, project.snapshotTime + 1, contentSeconds(project, facts))
  }
  const given = project.duration
  switch (project.durationMode) {
    case 'auto': {
      const content = Math.max(
        contentSeconds(project, facts),
        captionSeconds(project.subtitle, facts),
      )
      return Math.max(given ?? 0, sceneEnd, content) || defaultSeconds
    }
    case 'fixed':
    case 'legacy':
      return sceneEnd > 0 ? Math.max(given ?? 0, sceneEnd) : (given ?? defaultSeconds)
    default:
      return project.durationMode satisfies never
  }
}

/** Largest explicit or probed end among the content of a scene or project; 0 for nothing. */
export function contentSeconds(
  container: Pick<ResolvedScene, 'visuals' | 'audios'>,
  facts: Facts,
): number {
  const visualEnds = container.visuals.map((visual) => {
    const { recording } = visualTypeOf(visual)
    const ownEnd = recording ? visual.enterBegin + recording.seconds(visual, facts) : 0
    return visual.exitEnd ?? ownEnd
  })
  const audioEnds = container.audios
    .filter((audio) => !audio.matchDuration)
    .map((audio) => audio.exit ?? audio.enter + playedSeconds(audio, facts))
  return [...visualEnds, ...audioEnds].reduce((a, b) => Math.max(a, b), 0)
}

/** End of the last caption; 0 for none, and while a file has not been read. */
function captionSeconds(subtitle: ResolvedSubtitle | undefined, { media }: Facts): number {
  const { src, captions = [] } = subtitle ?? {}
  const file = src === undefined ? undefined : media.get(mediaKey({ expect: 'subtitle', url: src }))
  const read = file?.facts.kind === 'subtitle' ? file.facts.captions : captions
  return read.reduce((last, { end }) => Math.max(last, end), 0)
}

/** Seconds that a sound plays when nothing else ends it: its trimmed source at its speed. */
export function playedSeconds(audio: ResolvedAudio, facts: Facts): number {
  const media = facts.media.get(mediaKey({ expect: 'audio', url: audio.src }))?.facts
  const probed = media?.kind === 'audio' ? media.duration : Number.POSITIVE_INFINITY
  const sourceEnd = Math.min(audio.audioEnd ?? probed, probed)
  const trimmed = Math.max(0, sourceEnd - audio.audioBegin)
  const seconds = Math.min(trimmed, audio.audioDuration ?? trimmed)
  return Number.isFinite(seconds) ? seconds / audio.speed : 0
}

/** Facts of media that nobody has looked at yet. */
export const unprobed: Facts = { media: new Map(), bakes: new Map() }

/** Film length as far as it is known; a source of unknown length counts as 0. */
export function knownSeconds(project: ResolvedProject, facts: Facts = unprobed): number {
  const lengths = project.scenes.map((scene) => sceneSeconds(scene, facts))
  const overlaps = overlapSeconds(project.scenes, lengths)
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  return filmSeconds(project, sum(lengths) - sum(overlaps), facts)
}
