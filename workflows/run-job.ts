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

/**
 * Longest delay before a job notices others' segments. It grows with the wait, so that histories of
 * long waits stay short.
 */
const longestPauseMs = 30_000
const longestShareOfWaiting = 0.05

type JobRuntime = {
  readonly stages: Stages
  /** Ends of the job's tasks by name, as signals report them. */
  readonly ends: Map<string, TaskEnd>
  /** Resolves when another job of the workflow has its media, or has ended. */
  readonly untilFetched?: (jobId: string) => Promise<void> | undefined
  /** Lets others find the media that this job fetched. */
  readonly hasFetched?: () => void
}

/** Runs one render from its request to its settled end. It never fails: its job does. */
export async function runJob(
  job: RenderJobInput,
  { stages, ends, untilFetched, hasFetched }: JobRuntime,
): Promise<Settled> {
  const finish = async ({ tasks }: StartedTasks) => {
    for (const { name, end } of tasks) if (end) ends.set(name, end)
    await allDone(tasks, ends)
  }
  try {
    let prepared = await stages.prepareInputs(job)
    await finish(prepared)
    if (prepared.behind) {
      // Release waiters before waiting ourselves, so that two jobs can never deadlock.
      hasFetched?.()
      await untilFetched?.(prepared.behind)
      prepared = await stages.prepareInputs({ ...job, hasWaited: true })
      await finish(prepared)
    }
    if (prepared.again) {
      prepared = await stages.prepareInputs({ ...job, hasWaited: true })
      await finish(prepared)
    }
    if (prepared.unread) await finish(await stages.bakeCaptions(job))
    let shards = prepared.shards ?? (await stages.render(job))
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

/**
 * Waits for segments that other jobs render. A job that ends without a segment leaves it to the
 * first one that claims it.
 */
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
 * Waits for all tasks, or throws the first fault. It sets no timer: one for each task would be a
 * third of a small job's history. The workflow as a whole has a limit (`longestJob`).
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

/** Builds the same shape that activities throw (activities/failures.ts): the code is the type. */
function failure(code: string, message: string, details: unknown[] = []): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [details] })
}

/** The first cause wins. An error without a code of the farm is the farm's fault. */
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
