import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import type { Tracing } from '../../runtime/tracing/tracing.ts'
import { bulksToLookAfter } from '../../store/db/bulks/bulks-to-look-after.ts'
import { markBulkSeen } from '../../store/db/bulks/mark-bulk-seen.ts'
import type { Db } from '../../store/db/database.ts'
import { cancelJob } from '../../store/db/jobs/cancel-job.ts'
import { jobsWithoutWorkflow } from '../../store/db/jobs/jobs-without-workflow.ts'
import { leaveGroup } from '../../store/db/jobs/leave-group.ts'
import { listQuietJobs } from '../../store/db/jobs/list-quiet-jobs.ts'
import { markWorkflowRestarted, wasHeld } from '../../store/db/jobs/mark-workflow-restarted.ts'
import { markWorkflowStarted } from '../../store/db/jobs/mark-workflow-started.ts'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { touchJobs } from '../../store/db/jobs/touch-jobs.ts'
import { listLatePreviews } from '../../store/db/previews/list-late-previews.ts'
import {
  type BulkRenderInput,
  longestJob,
  type RenderJobInput,
  renderGroupId,
  renderJobId,
  restartRenderJob,
  startBulkRender,
  startRenderJob,
} from '../contract.ts'
import type { WorkflowsMetrics } from '../metrics.ts'
import { traceJob } from '../stages/traces.ts'

const sweepMs = 1_000
/** The api starts a job's workflow itself within this time, or never. */
const startGraceMs = 3_000
/**
 * The workflow of a job that was quiet this long is checked: no hold outlives its job by a minute.
 */
const quietMs = 30_000
const limit = 20
const callTimeoutMs = 5_000

type Sweeping = {
  readonly db: Db
  readonly client: Client
  readonly log: Log
  readonly metrics: WorkflowsMetrics
  readonly tracing: Tracing
}

/**
 * Looks once a second for jobs that Temporal does not know: accepted while it was away, or lost
 * with its state. Any number of sweepers may run; each action takes effect once.
 * @returns a function that stops it after the current turn.
 */
export function startSweeper(sweeping: Sweeping): () => Promise<void> {
  const { stop } = repeat({
    everyMs: sweepMs,
    run: () => sweepOnce(sweeping),
    onError: (error) => sweeping.log.warn({ err: error }, 'jobs could not be swept'),
  })
  return stop
}

async function sweepOnce(sweeping: Sweeping): Promise<void> {
  const { db } = sweeping
  for (const { id, accountId } of await jobsWithoutWorkflow(db, { graceMs: startGraceMs, limit })) {
    await start(sweeping, { accountId, jobId: id })
  }
  const due = { graceMs: startGraceMs, quietMs, limit }
  for (const { id, accountId } of await bulksToLookAfter(db, due)) {
    await lookAfterBulk(sweeping, { accountId, bulkId: id })
  }
  for (const job of await listLatePreviews(db, { limit })) {
    await cancelJob(db, { ...job, reason: 'the preview took too long' })
  }
  const well: string[] = []
  for (const { id, accountId, bulkId, group } of await listQuietJobs(db, { quietMs, limit })) {
    const job = { accountId, jobId: id, ...(bulkId !== null && { bulkId }) }
    if (await isWell(sweeping, { job, group })) well.push(id)
  }
  if (well.length > 0) await touchJobs(db, well)
}

async function start({ db, client, log }: Sweeping, job: RenderJobInput): Promise<void> {
  await client.withDeadline(Date.now() + callTimeoutMs, () => startRenderJob(client, job))
  await markWorkflowStarted(db, job)
  log.info(job, 'started a workflow that was missing')
}

/** Starting the workflow is enough: a running one goes on, a lost one begins anew. */
async function lookAfterBulk({ db, client }: Sweeping, bulk: BulkRenderInput): Promise<void> {
  await client.withDeadline(Date.now() + callTimeoutMs, () => startBulkRender(client, bulk))
  await markBulkSeen(db, bulk)
}

/**
 * Restarts a workflow that Temporal has forgotten; it finds the tasks of the first. The job of a
 * workflow that was terminated, or gave up, is settled here.
 */
async function isWell(
  sweeping: Sweeping,
  { job, group }: { job: RenderJobInput; group: string | null },
): Promise<boolean> {
  const { db, client, log, metrics } = sweeping
  try {
    const handle = client.workflow.getHandle(
      group === null ? renderJobId(job.jobId) : renderGroupId(group),
    )
    const { status } = await client.withDeadline(Date.now() + callTimeoutMs, () =>
      handle.describe(),
    )
    if (status.name === 'RUNNING' || status.name === 'PAUSED') return true
    if (status.name === 'TIMED_OUT' && (await wasHeld(db, job))) {
      await restart(sweeping, { job, group })
      return true
    }
    log.error({ ...job, status: status.name }, 'a workflow ended without settling its job')
    const error = status.name === 'TIMED_OUT' ? neverDone : stopped
    const settled = await settleJob(db, {
      ...job,
      reason: `workflow ${status.name}`,
      settlement: { to: 'failed', error },
    })
    if (settled?.settled) {
      metrics.jobEnded({ state: 'failed', reason: error.code, seconds: settled.ageSeconds })
    }
    await traceJob(sweeping, job)
    return false
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    // Detached first, so that events of its tasks reach the new workflow before it reads their
    // states.
    if (group !== null) await leaveGroup(db, job)
    await start(sweeping, job)
    return true
  }
}

/** Starts a new workflow for a job whose limit passed while operators held it. */
async function restart(
  { db, client, log }: Sweeping,
  { job, group }: { job: RenderJobInput; group: string | null },
): Promise<void> {
  if (group !== null) await leaveGroup(db, job)
  await client.withDeadline(Date.now() + callTimeoutMs, () => restartRenderJob(client, job))
  await markWorkflowRestarted(db, job)
  log.info(job, 'started a new workflow for a job that was held')
}

const neverDone = {
  code: 'node_lost',
  message: `No machine of the farm finished the work within ${longestJob}`,
  details: [],
} as const
const stopped = { code: 'internal', message: 'The farm stopped this render', details: [] } as const
