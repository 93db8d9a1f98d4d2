import { join } from 'node:path'
import type { AssembleResult, AssembleSpec } from '../../core/tasks.ts'
import type { TaskContext } from '../context.ts'
import type { SegmentFile } from '../encode/join.ts'
import { finishFilm } from './finish-film.ts'
import { readPlan } from './read-plan.ts'
import { createStopwatch } from './stopwatch.ts'

/** Makes the film from segments that other tasks rendered. */
export async function assemble(_: AssembleSpec, task: TaskContext): Promise<AssembleResult> {
  const watch = createStopwatch()
  const plan = await readPlan(task)
  const segments = await watch.time('download', async () => {
    const files: SegmentFile[] = []
    for (const { index, frames } of plan.segments) {
      const file = join(task.dir, `segment-${index}`)
      await task.get(`segment-${index}`, file)
      files.push({ index, file, frames })
    }
    return files
  })
  const output = await finishFilm({ plan, segments, watch }, task)
  return { output, seconds: watch.seconds() }
}
