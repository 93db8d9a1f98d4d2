import { CancellationScope, defineSignal, setHandler } from '@temporalio/workflow'
import { type RenderJobInput, type TaskEnd, type TaskEnded, taskEndedSignal } from '../contract.ts'
import { runJob } from './run-job.ts'
import { notifyBulk, stages } from './stages.ts'

const taskEnded = defineSignal<[TaskEnded]>(taskEndedSignal)

/** Runs one job in a workflow of its own. */
export async function renderJob(job: RenderJobInput): Promise<void> {
  const ends = new Map<string, TaskEnd>()
  setHandler(taskEnded, ({ name, end }) => void ends.set(name, end))
  const { endsBulk } = await runJob(job, { stages, ends })
  const { bulkId } = job
  if (bulkId === undefined || !endsBulk) return
  await CancellationScope.nonCancellable(() => notifyBulk(bulkId))
}
