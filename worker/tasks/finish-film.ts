import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { filmFormat, type Plan } from '../../core/plan/plan.ts'
import type { OutputFacts } from '../../core/queue/tasks.ts'
import { allEnded } from '../../runtime/all-ended.ts'
import type { TaskContext } from '../context.ts'
import { joinFilm, type SegmentFile } from '../encode/join.ts'
import { scratchFolder } from '../files/scratch.ts'
import type { FilmSound } from '../sound/film-sound.ts'
import type { Stopwatch } from './stopwatch.ts'
import { writeThumbnail } from './thumbnail.ts'

/**
 * Joins segments and sound, makes the thumbnail unless it is given, and uploads `output` and
 * `thumbnail`. The end of this task reaches the job's workflow through the outbox, and
 * workflows/stages/settle.ts ends the job.
 */
export async function finishFilm(
  {
    plan,
    segments,
    sound,
    thumbnail,
    watch,
  }: {
    plan: Plan
    segments: readonly SegmentFile[]
    sound: FilmSound
    /** Thumbnail made before, as a jpg. */
    thumbnail?: string | undefined
    watch: Stopwatch
  },
  task: TaskContext,
): Promise<OutputFacts> {
  const { timeline, output } = plan
  const { width, height, frameRate, frames } = timeline
  const work = { sandbox: task.node.sandbox, dir: task.dir, signal: task.signal }
  const size = { width, height, frameRate }
  const film = { ...size, format: filmFormat(plan), segments, title: output.title, ...sound }
  const to = thumbnail ?? join(await scratchFolder(task.dir, 'out'), 'thumbnail')
  const takeThumbnail = () => writeThumbnail({ plan, segments, to }, task)
  const [file] = await allEnded([
    watch.part('join', () => joinFilm(film, work)),
    thumbnail === undefined ? watch.part('thumbnail', takeThumbnail) : undefined,
  ])
  const { size: bytes } = await stat(file)
  await watch.part('upload', () =>
    Promise.all([task.put('output', file), task.put('thumbnail', to)]),
  )
  return { bytes, duration: frames / frameRate, frames, width, height }
}
