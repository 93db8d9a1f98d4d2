import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  proxyLocalActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow'
import type { FarmActivities } from './activities/activities.ts'
import type { JobEnd, Settled, StartedTasks } from './activities/context.ts'
import {
  bulkJobEndedSignal,
  bulkRenderId,
  type RenderJobInput,
  type TaskEnd,
  type TaskEnded,
  taskEndedSignal,
} from './contract.ts'

/**
 * The stages are local activities: short, run inside the workflow's own task, repeatable. Each reads
 * what it needs from Postgres, puts tasks into the queue and answers their names; the long part, a
 * node's work, is waited for as a signal. So a job costs Temporal one round trip for each time it
 * waits, and a role killed at any moment is followed by another within one workflow task timeout. One
 * that leaves nothing to wait for goes on to the next by itself and answers that one's answer as well.
 */
const stage = proxyLocalActivities<FarmActivities>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '30 minutes',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '10 seconds' },
})

/** A job that nothing could settle would keep its hold for ever: tried for days before giving up. */
const { settle } = proxyLocalActivities<Pick<FarmActivities, 'settle'>>({
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '7 days',
  localRetryThreshold: '20 seconds',
  retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
})

/** How late a job hears that others' segments are there; short histories for those that wait for hours. */
const longestPauseMs = 30_000

const taskEnded = defineSignal<[TaskEnded]>(taskEndedSignal)

/** One render from its request to its settled end. It never fails: its job does. */
export async function renderJob(job: RenderJobInput): Promise<void> {
  const ends = new Map<string, TaskEnd>()
  setHandler(taskEnded, ({ name, end }) => void ends.set(name, end))
  const finish = async ({ tasks }: StartedTasks) => {
    for (const { name, end } of tasks) if (end) ends.set(name, end)
    await allDone(tasks, ends)
  }
  let settled: Settled
  try {
    const gathered = await stage.gather(job)
    await finish(gathered)
    if (gathered.unread) await finish(await stage.bakeCaptions(job))
    let shards = gathered.shards ?? (await stage.render(job))
    await finish(shards)
    while (shards.awaited.length > 0) {
      await stage.shareSegments(job)
      await waitForOthers({ ...job, segments: shards.awaited })
      shards = await stage.render(job)
      await finish(shards)
    }
    if (!shards.whole) await finish(await stage.assemble(job))
    settled = shards.settled ?? (await settle({ ...job, end: { to: 'completed' } }))
  } catch (error) {
    settled = await CancellationScope.nonCancellable(() => settle({ ...job, end: endOf(error) }))
  }
  const { bulkId } = job
  if (bulkId === undefined || !settled.endsBulk) return
  await CancellationScope.nonCancellable(() => tellBulk(bulkId))
}

/** Others render what this job needs too. One that ends without it leaves it to whoever asks first. */
async function waitForOthers(awaited: RenderJobInput & { segments: readonly string[] }) {
  for (let pauseMs = 500; await stage.areAwaited(awaited); ) {
    await sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)
  }
}

/** Nothing of the bulk is left to do. One that is not there, or misses the word, looks by itself. */
async function tellBulk(bulkId: string): Promise<void> {
  const bulk = getExternalWorkflowHandle(bulkRenderId(bulkId))
  await bulk.signal(bulkJobEndedSignal).catch(() => undefined)
}

/**
 * Waits for all of them, or throws the first fault. Without a limit, because a timer for each task would be a third
 * of what Temporal writes for a small job: the workflow as a whole has one (`longestJob`).
 */
async function allDone(
  tasks: StartedTasks['tasks'],
  ends: ReadonlyMap<string, TaskEnd>,
): Promise<void> {
  const seen = () => tasks.map(({ name }) => ends.get(name))
  const faultSeen = () => seen().find((end) => end !== undefined && end.state !== 'completed')
  await condition(() => faultSeen() !== undefined || !seen().includes(undefined))
  const fault = faultSeen()
  if (fault?.state === 'cancelled') throw failure('cancelled', 'The job was cancelled')
  if (fault?.state === 'failed') {
    const { code, message, field } = fault.error
    throw failure(code, message, field === undefined ? [] : [{ field, code, message }])
  }
}

/** The same shape that activities throw (activities/failures.ts): the code is the type. */
function failure(code: string, message: string, details: unknown[] = []): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [details] })
}

/** First cause wins. What is not one of the farm's own words is the farm's fault. */
function endOf(error: unknown): JobEnd {
  if (isCancellation(error)) return { to: 'cancelled' }
  const cause = error instanceof ActivityFailure ? error.cause : error
  if (!(cause instanceof ApplicationFailure) || !cause.type)
    return { to: 'failed', code: 'internal' }
  if (cause.type === 'cancelled') return { to: 'cancelled' }
  return {
    to: 'failed',
    code: cause.type,
    message: cause.message,
    details: cause.details?.[0] ?? [],
  }
}
