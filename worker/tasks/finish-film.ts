import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filmFormat, type Plan } from '../../core/plan/plan.ts'
import type { OutputFacts } from '../../core/tasks.ts'
import type { TaskContext } from '../context.ts'
import { joinFilm, type SegmentFile } from '../encode/join.ts'
import type { DecodedClip } from '../encode/mix.ts'
import { sniffFile } from '../media/sniff.ts'
import { decodeClip } from '../media/sound.ts'
import { fetchOriginal } from './originals.ts'
import type { Stopwatch } from './stopwatch.ts'
import { givenThumbnail } from './thumbnail.ts'

/** Decoders of sound that run at the same time. */
const decodersAtOnce = 2

/** Joins the segments, mixes the sound, takes the thumbnail, and uploads `output` and `thumbnail`. */
export async function finishFilm(
  { plan, segments, watch }: { plan: Plan; segments: readonly SegmentFile[]; watch: Stopwatch },
  task: TaskContext,
): Promise<OutputFacts> {
  const { timeline, output } = plan
  const { width, height, frameRate, frames } = timeline
  const work = { sandbox: task.node.sandbox, dir: task.dir, signal: task.signal }
  const clips = await watch.time('sound', () => decodeClips(plan, task))
  const size = { width, height, frameRate }
  const { title, thumbnailFrame: frame, thumbnailPicture } = output
  const to = join(task.dir, 'out', 'thumbnail')
  const own = thumbnailPicture === undefined && { thumbnail: { frame, to } }
  const film = { ...size, format: filmFormat(plan), segments, title, clips, ...own }
  const file = await watch.time('join', () => joinFilm(film, work))
  if (thumbnailPicture !== undefined) {
    await watch.time('thumbnail', () => givenThumbnail(thumbnailPicture, to, task))
  }
  const { size: bytes } = await stat(file)
  await watch.time('upload', () =>
    Promise.all([task.put('output', file), task.put('thumbnail', to)]),
  )
  return { bytes, duration: frames / frameRate, frames, width, height }
}

async function decodeClips({ audio }: Plan, task: TaskContext): Promise<DecodedClip[]> {
  const clips: DecodedClip[] = []
  // One after the other: several clips often play parts of one sound.
  for (const digest of new Set(audio.map((clip) => clip.digest))) await fetchOriginal(digest, task)
  for (let first = 0; first < audio.length; first += decodersAtOnce) {
    const some = audio.slice(first, first + decodersAtOnce)
    clips.push(...(await Promise.all(some.map((clip, i) => decodeOne(clip, first + i, task)))))
  }
  return clips
}

async function decodeOne(
  clip: Plan['audio'][number],
  index: number,
  task: TaskContext,
): Promise<DecodedClip> {
  const { node, dir, signal } = task
  const file = await fetchOriginal(clip.digest, task)
  const sniffed = await sniffFile(file)
  if (sniffed.kind !== 'audio') throw new Error(`A clip must play sound. Got ${sniffed.kind}`)
  const sound = { file, format: sniffed.format, field: clip.field }
  return {
    clip,
    file: await decodeClip({ clip, sound, index }, { sandbox: node.sandbox, dir, signal }),
  }
}
