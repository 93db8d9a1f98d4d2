import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  sleep,
} from '@temporalio/workflow'
import type { Stages } from './activities/activities.ts'
import type { JobEnd, Settled, StartedTasks } from './activities/context.ts'
import type { RenderJobInput, TaskEnd } from './contract.ts'

/** How late a job hears that others' segments are there: short histories for those that wait for hours, and are many. */
const longestPauseMs = 30_000
const longestShareOfWaiting = 0.05

type Surroundings = {
  readonly stages: Stages
  /** How the job's tasks ended, by name, as the workflow hears of it. */
  readonly ends: Map<string, TaskEnd>
  /** Until another job of the workflow has its media, or has ended. */
  readonly untilFetched?: (jobId: string) => Promise<void> | undefined
  /** From here on others find what this one fetched. */
  readonly hasFetched?: () => void
}

/** One render from its request to its settled end. It never fails: its job does. */
export async function runJob(
  job: RenderJobInput,
  { stages, ends, untilFetched, hasFetched }: Surroundings,
): Promise<Settled> {
  const finish = async ({ tasks }: StartedTasks) => {
    for (const { name, end } of tasks) if (end) ends.set(name, end)
    await allDone(tasks, ends)
  }
  try {
    let gathered = await stages.gather(job)
    await finish(gathered)
    if (gathered.behind) {
      // Who waits holds nobody: whatever went wrong, no two jobs wait for each other.
      hasFetched?.()
      await untilFetched?.(gathered.behind)
      gathered = await stages.gather({ ...job, hasWaited: true })
      await finish(gathered)
    }
    if (gathered.again) {
      gathered = await stages.gather({ ...job, hasWaited: true })
      await finish(gathered)
    }
    if (gathered.unread) await finish(await stages.bakeCaptions(job))
    let shards = gathered.shards ?? (await stages.render(job))
    hasFetched?.()
    await finish(shards)
    while (shards.awaited.length > 0) {
      await stages.shareSegments(job)
      await waitForOthers({ ...job, segments: shards.awaited }, stages)
      shards = await stages.render(job)
      await finish(shards)
    }
    if (!shards.whole) await finish(await stages.assemble(job))
    return shards.settled ?? (await stages.settle({ ...job, end: { to: 'completed' } }))
  } catch (error) {
    hasFetched?.()
    const end = endOf(error)
    return await CancellationScope.nonCancellable(() => stages.settle({ ...job, end }))
  }
}

/** Others render what this job needs too. One that ends without it leaves it to whoever asks first. */
async function waitForOthers(
  awaited: RenderJobInput & { segments: readonly string[] },
  stages: Stages,
) {
  let waitedMs = 0
  for (let pauseMs = 500; await stages.areAwaited(awaited); ) {
    await sleep(pauseMs)
    waitedMs += pauseMs
    const longest = Math.max(longestPauseMs, waitedMs * longestShareOfWaiting)
    pauseMs = Math.min(pauseMs * 1.5, longest)
  }
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
