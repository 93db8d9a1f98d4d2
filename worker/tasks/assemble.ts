import { join } from 'node:path'
import type { AssembleResult, AssembleSpec } from '../../core/queue/tasks.ts'
import type { TaskContext } from '../context.ts'
import type { SegmentFile } from '../encode/join.ts'
import { scratchFolder } from '../files/scratch.ts'
import { fetchSound, makeSound } from '../sound/film-sound.ts'
import { finishFilm } from './finish-film.ts'
import { readPlan } from './read-plan.ts'
import { fetchSegment } from './segment-cache.ts'
import { createStopwatch } from './stopwatch.ts'

/** Assembles the film from segments that other tasks rendered. */
export async function assemble(spec: AssembleSpec, task: TaskContext): Promise<AssembleResult> {
  const watch = createStopwatch(task.span)
  const plan = await readPlan(task)
  const segments = await watch.part('download', async () => {
    const files: SegmentFile[] = []
    const fetched = new Map<string, string>()
    for (const segment of plan.segments) {
      const { index, frames, fingerprint } = segment
      const known = fetched.get(fingerprint)
      const file = known ?? join(task.dir, `segment-${index}`)
      if (known === undefined) await fetchSegment(segment, file, task)
      fetched.set(fingerprint, file)
      files.push({ index, file, frames })
    }
    return files
  })
  const sound = await watch.part('sound', () =>
    spec.sound ? fetchSound(task) : makeSound(plan, task),
  )
  const thumbnail = spec.thumbnail
    ? join(await scratchFolder(task.dir, 'out'), 'thumbnail')
    : undefined
  if (thumbnail !== undefined) await task.get('thumbnail', thumbnail)
  const output = await finishFilm({ plan, segments, sound, thumbnail, watch }, task)
  return { output, seconds: watch.seconds() }
}
