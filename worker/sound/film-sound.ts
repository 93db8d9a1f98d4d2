import { join } from 'node:path'
import { isEncodedAhead } from '../../core/plan/formats.ts'
import { type AudioClip, audioSampleRate, filmFormat, type Plan } from '../../core/plan/plan.ts'
import { elementsOf } from '../../core/timeline/timeline.ts'
import { sniffFile } from '../../runtime/media/sniff.ts'
import type { TaskContext } from '../context.ts'
import { encodeSound } from '../encode/join.ts'
import { readableMp4 } from '../media/readable-clip.ts'
import { isWhole } from '../media/sound.ts'
import { decodeClip } from '../media/sound-decode.ts'
import { fetchOriginal } from '../sources/originals.ts'
import { copySound } from './copy-sound.ts'
import type { DecodedClip } from './mix.ts'

/** Sound decoders that run at the same time. */
const decodersAtOnce = 2

/** Sound to join a film with: encoded, or, if that cannot be done ahead, its clips. */
export type FilmSound = { readonly clips: readonly DecodedClip[]; readonly sound?: string }

/** Copies the film's sound, or decodes it and, if the format allows, mixes and encodes it. */
export async function makeSound(plan: Plan, task: TaskContext): Promise<FilmSound> {
  const copied = await copiedSound(plan, task)
  if (copied !== undefined) return { clips: [], sound: copied }
  const { node, dir, signal } = task
  const { frameRate } = plan.timeline
  const format = filmFormat(plan)
  const clips = await decodeClips(plan, task)
  if (clips.length === 0 || !isEncodedAhead(plan.output.soundEncoder)) return { clips }
  const film = { format, frameRate, clips, segments: plan.segments }
  return { clips: [], sound: await encodeSound(film, { sandbox: node.sandbox, dir, signal }) }
}

async function copiedSound(plan: Plan, task: TaskContext): Promise<string | undefined> {
  const { audio, timeline, output } = plan
  const [clip, ...others] = audio
  if (clip === undefined || others.length > 0 || output.soundEncoder !== 'aac') return undefined
  const file = await fetchOriginal(clip.digest, task)
  const sniffed = await sniffFile(file)
  if (sniffed.kind !== 'audio' || sniffed.format !== 'mp4') return undefined
  const samples = Math.round((timeline.frames * audioSampleRate) / timeline.frameRate)
  const copied = await copySound({ clip, file, samples }, task.dir)
  if (copied === undefined || !isOfVideo(clip, plan)) return copied
  // The sound of a clip has not been decoded at ingest. The later decoding for the mix reports
  // errors.
  const { node, dir, signal } = task
  const sound = { file: copied, format: sniffed.format, field: clip.field }
  return (await isWhole(sound, { sandbox: node.sandbox, dir, signal })) ? copied : undefined
}

function isOfVideo({ digest }: AudioClip, { timeline }: Plan): boolean {
  return elementsOf(timeline).some(
    ({ pixels }) => pixels.kind === 'clip' && pixels.digest === digest,
  )
}

/** Fetches the sound that a render task of this or an earlier job has encoded. */
export async function fetchSound({ dir, get }: TaskContext): Promise<FilmSound> {
  const sound = join(dir, 'sound')
  await get('sound', sound)
  return { clips: [], sound }
}

async function decodeClips(plan: Plan, task: TaskContext): Promise<DecodedClip[]> {
  const { audio } = plan
  const clips: DecodedClip[] = []
  // Fetched one after the other: several clips often play parts of one sound.
  for (const digest of new Set(audio.map((clip) => clip.digest))) await fetchOriginal(digest, task)
  for (let first = 0; first < audio.length; first += decodersAtOnce) {
    const some = audio.slice(first, first + decodersAtOnce)
    clips.push(
      ...(await Promise.all(
        some.map((clip, i) => decodeOne(plan, { clip, index: first + i }, task)),
      )),
    )
  }
  return clips
}

async function decodeOne(
  plan: Plan,
  { clip, index }: { clip: AudioClip; index: number },
  task: TaskContext,
): Promise<DecodedClip> {
  const { node, dir, signal } = task
  const file = await fetchOriginal(clip.digest, task)
  const sniffed = await sniffFile(file)
  if (sniffed.kind !== 'audio') throw new Error(`A clip must play sound. Got ${sniffed.kind}`)
  const sent = { file, format: sniffed.format, field: clip.field }
  const isInspected = !isOfVideo(clip, plan)
  const readable = join(dir, `readable-sound-${index}`)
  const sound = sniffed.format === 'mp4' ? await readableMp4(sent, readable) : sent
  const work = { sandbox: node.sandbox, dir, signal }
  return { clip, file: await decodeClip({ clip, sound, index, isInspected }, work) }
}
