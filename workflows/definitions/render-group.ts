import { CancellationScope, defineSignal, setHandler } from '@temporalio/workflow'
import {
  fewSteps,
  type RenderGroupInput,
  type TaskEnd,
  type TasksEnded,
  tasksEndedSignal,
} from '../contract.ts'
import { runJob } from './run-job.ts'
import { notifyBulk } from './stages.ts'
import { createStepBatcher } from './step-batcher.ts'

const tasksEnded = defineSignal<[TasksEnded]>(tasksEndedSignal)

/** Runs jobs of a bulk independently of each other; steps that are due at once run as one batch. */
export async function renderGroup({
  jobIds,
  group,
  stepsAtOnce = fewSteps,
  ...bulk
}: RenderGroupInput): Promise<void> {
  const endsOf = new Map(jobIds.map((jobId) => [jobId, new Map<string, TaskEnd>()]))
  setHandler(tasksEnded, (ended) => {
    for (const { jobId, name, end } of ended) endsOf.get(jobId)?.set(name, end)
  })
  const batcher = createStepBatcher(stepsAtOnce)
  const fetched = new Map(jobIds.map((jobId) => [jobId, Promise.withResolvers<void>()]))
  const until = (jobId: string) => fetched.get(jobId)?.promise
  const ended = await Promise.allSettled(
    [...endsOf].map(([jobId, ends]) => {
      const release = () => fetched.get(jobId)?.resolve()
      const runtime = { stages: batcher.stages, ends, media: { until, release } }
      return runJob({ ...bulk, group, jobId }, runtime)
    }),
  )
  const endsBulk = ended.some((each) => each.status === 'fulfilled' && each.value.endsBulk)
  if (batcher.endsBulk() || endsBulk) {
    await CancellationScope.nonCancellable(() => notifyBulk(bulk.bulkId))
  }
  // A job that could not be settled fails the workflow only after the others are done; the sweeper
  // settles it.
  const lost = ended.find(({ status }) => status === 'rejected')
  if (lost?.status === 'rejected') throw lost.reason
}
