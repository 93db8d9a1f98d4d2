import type { ResolvedAudio, ResolvedProject } from '../project/resolved.ts'
import { playedSeconds } from '../timeline/length.ts'
import type { Facts, Timeline } from '../timeline/timeline.ts'
import { type AudioClip, audioSampleRate } from './plan.ts'

/** Every stretch of sound of the film, cut at the end of its scene and of the film. */
export function audioClips(
  project: ResolvedProject,
  { timeline, facts }: { timeline: Timeline; facts: Facts },
): AudioClip[] {
  const film = { begin: 0, end: timeline.frames / timeline.frameRate }
  const containers = [
    { audios: project.audios, ...film },
    ...project.scenes.map((scene, i) => ({
      audios: scene.audios,
      begin: timeline.scenes[i]?.begin ?? 0,
      end: Math.min(film.end, timeline.scenes[i]?.end ?? 0),
    })),
  ]
  return containers.flatMap(({ audios, ...within }) =>
    audios.toSorted((a, b) => a.track - b.track).flatMap((audio) => clipOf(audio, within, facts)),
  )
}

function clipOf(
  audio: ResolvedAudio,
  within: { begin: number; end: number },
  facts: Facts,
): AudioClip[] {
  const media = facts.media.get(audio.src)
  if (!media) return []
  const begin = within.begin + audio.enter
  const exit =
    audio.matchDuration || audio.exit === undefined ? within.end : within.begin + audio.exit
  const end = Math.min(within.end, exit, begin + playedSeconds(audio, facts))
  const length = samples(end) - samples(begin)
  if (length <= 0 || audio.volume === 0) return []
  return [
    {
      digest: media.digest,
      field: audio.field,
      at: samples(begin),
      from: samples(audio.audioBegin),
      length,
      volume: audio.volume,
      speed: audio.speed,
    },
  ]
}

const samples = (seconds: number) => Math.round(seconds * audioSampleRate)
