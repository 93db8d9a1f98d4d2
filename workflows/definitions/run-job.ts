import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  sleep,
} from '@temporalio/workflow'
import type { RenderJobInput, TaskEnd } from '../contract.ts'
import type { JobEnd } from '../stages/context.ts'
import type { Next, RepeatedStage, Settled, StartedTasks } from '../stages/next.ts'
import type { Stages } from '../stages/stage-types.ts'
import { readNext } from './previous-answers.ts'

/**
 * Longest delay before a job notices others' segments. It grows with the wait, so that histories of
 * long waits stay short.
 */
const longestPauseMs = 30_000
const longestShareOfWaiting = 0.05

/** Media that jobs of one workflow fetch once for all of them. */
type MediaSharing = {
  /** Resolves when the job has its media, or has ended. */
  readonly until: (jobId: string) => Promise<void> | undefined
  /** Lets others use the media that this job fetched. */
  readonly release: () => void
}

type JobRuntime = {
  readonly stages: Stages
  /** Ends of the job's tasks by name, as signals report them. */
  readonly ends: Map<string, TaskEnd>
  readonly media?: MediaSharing
}

const noSharing: MediaSharing = { until: () => undefined, release: () => undefined }

/**
 * Runs one render from its request to its settled end. It never fails: its job does. A stage queues
 * tasks, and names the wait and the stage that follows (stages/next.ts). The first stage is
 * stages/prepare-inputs.ts.
 */
export async function runJob(
  job: RenderJobInput,
  { stages, ends, media = noSharing }: JobRuntime,
): Promise<Settled> {
  try {
    let next = readNext('prepareInputs', await stages.prepareInputs(job))
    for (;;) {
      if (hasMedia(next)) media.release()
      if (next.wait === 'nothing') return next.settled
      await tasksEnded(next, ends)
      if (next.wait === 'media-of') {
        // Release waiters before waiting ourselves, so that two jobs can never deadlock.
        media.release()
        await media.until(next.jobId)
      }
      if (next.wait === 'segments') {
        await stages.shareSegments(job)
        await segmentsReleased({ ...job, segments: next.fingerprints }, stages)
      }
      if (next.resume === 'settle') return await stages.settle({ ...job, end: { to: 'completed' } })
      next = readNext(next.resume, await runStage(next.resume, job, stages), next)
    }
  } catch (error) {
    media.release()
    const end = endOf(error)
    return await CancellationScope.nonCancellable(() => stages.settle({ ...job, end }))
  }
}

function runStage(stage: RepeatedStage, job: RenderJobInput, stages: Stages): Promise<Next> {
  if (stage === 'prepareInputs') return stages.prepareInputs({ ...job, hasWaited: true })
  return stages[stage](job)
}

/** Answers whether the job needs no medium more: its rendering has begun. */
function hasMedia(next: Next): boolean {
  if (next.wait === 'nothing' || next.wait === 'segments') return true
  return next.resume === 'assemble' || next.resume === 'settle'
}

/**
 * Waits for segments that other jobs render. A job that ends without a segment leaves it to the
 * first one that claims it.
 */
async function segmentsReleased(
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
 *
 * Jobs of a group come to their next step within a few microtask ticks (step-batcher.ts). Replays of
 * older histories count them, so `allEnded` stays a function of its own.
 */
async function tasksEnded({ tasks }: StartedTasks, ends: Map<string, TaskEnd>): Promise<void> {
  for (const { name, end } of tasks) if (end) ends.set(name, end)
  await allEnded(tasks, ends)
}

async function allEnded(
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

/** Builds the same shape that activities throw (stages/failures.ts): the code is the type. */
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
