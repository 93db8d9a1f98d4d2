import { CancellationScope, defineSignal, setHandler } from '@temporalio/workflow'
import {
  type RenderGroupInput,
  type TaskEnd,
  type TasksEnded,
  tasksEndedSignal,
} from './contract.ts'
import { createRounds } from './rounds.ts'
import { runJob } from './run-job.ts'
import { tellBulk } from './stages.ts'

const tasksEnded = defineSignal<[TasksEnded]>(tasksEndedSignal)

/** Jobs of a bulk: each goes its own way, and what several of them come to at once is one step. */
export async function renderGroup({ jobIds, group, ...bulk }: RenderGroupInput): Promise<void> {
  const endsOf = new Map(jobIds.map((jobId) => [jobId, new Map<string, TaskEnd>()]))
  setHandler(tasksEnded, (ended) => {
    for (const { jobId, name, end } of ended) endsOf.get(jobId)?.set(name, end)
  })
  const rounds = createRounds()
  const settled = await Promise.all(
    [...endsOf].map(([jobId, ends]) => runJob({ ...bulk, jobId }, { stages: rounds.stages, ends })),
  )
  if (!rounds.endsBulk() && !settled.some(({ endsBulk }) => endsBulk)) return
  await CancellationScope.nonCancellable(() => tellBulk(bulk.bulkId))
}
