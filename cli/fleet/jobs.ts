import type { Priority } from '../../core/shares.ts'
import { traceIdOf } from '../../runtime/tracing/places.ts'
import type { Db } from '../../store/db/database.ts'
import { cancelJob } from '../../store/db/statements/cancel-job.ts'
import { listAttempts } from '../../store/db/statements/list-attempts.ts'
import { type FarmJob, listFarmJobs } from '../../store/db/statements/list-farm-jobs.ts'
import { readWaiting } from '../../store/db/statements/read-waiting.ts'
import { retryJob } from '../../store/db/statements/retry-job.ts'
import { setPriority } from '../../store/db/statements/set-priority.ts'
import { answerOne, operate } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from './act.ts'

type OfJob = { readonly job: string; readonly json?: boolean }

const attemptsShown = 200

export async function showJobs({
  state,
  limit,
  json,
}: {
  state?: string
  limit: number
  json?: boolean
}): Promise<void> {
  await operate(json, async (db) => {
    const jobs = await listFarmJobs(db, { limit, ...(state !== undefined && { state }) })
    return { json: jobs, text: showTable(jobs.map(rowOf)) }
  })
}

/** A job with every attempt at its tasks; of those that failed, why and the end of their logs. */
export async function showJob({ job: id, json }: OfJob): Promise<void> {
  await operate(json, async (db) => {
    const job = await requireJob(db, id)
    const attempts = await listAttempts(db, { of: 'job', id, limit: attemptsShown })
    const rows = attempts.map(({ taskId, attempt, task, node, state, framesDone, seconds }) => ({
      ...{ task: taskId, name: task, attempt, node, state, frames: framesDone },
      seconds: Math.round(seconds * 10) / 10,
    }))
    const failures = attempts.flatMap(({ task, attempt, node, error, logTail }) =>
      error === null
        ? []
        : [
            `\n${task}, attempt ${attempt} on ${node}: ${error.message}\n${logTail ?? ''}`.trimEnd(),
          ],
    )
    const reason = job.error ? [`failed: ${job.error.message}`] : []
    const trace = traceIdOf(id)
    const head = [showTable([rowOf(job)]), `trace: ${trace}`, ...reason]
    const text = [...head, '', showTable(rows), ...failures].join('\n')
    return { json: { ...job, trace, attempts }, text }
  })
}

/** What a job waits for and when it should start. */
export async function explainJob({ job: id, json }: OfJob): Promise<void> {
  await operate(json, async (db) => {
    const job = await requireJob(db, id)
    const waiting = await readWaiting(db, id)
    return { json: { id, state: job.state, waiting }, text: waiting?.message ?? notWaiting(job) }
  })
}

function notWaiting({ state, running, queued }: FarmJob): string {
  if (running > 0) {
    return `It does not wait: ${running} of its tasks run, ${queued} are queued behind them.`
  }
  return `It has nothing in the queue: it is ${state}.`
}

/** Charged as a customer's own cancellation is: for what was painted. */
export async function stopJob({ job: id, json, ...options }: OfJob & ActOptions): Promise<void> {
  await operate(json, async (db) => {
    const { accountId, state } = await requireJob(db, id)
    await act(db, { what: 'jobs cancel', subject: id, ...options }, async (tx) => {
      const reason = `by the farm: ${options.why}`
      const cancelled = await cancelJob(tx, { accountId, jobId: id, reason })
      if (cancelled?.settled) return
      throw new Failure(`A job to cancel must not have ended. Got ${state}`)
    })
    return answerOne(rowOf(await requireJob(db, id)))
  })
}

/** The same request once more, as a new job. */
export async function repeatJob({ job, json, ...options }: OfJob & ActOptions): Promise<void> {
  await operate(json, async (db) => {
    const { state } = await requireJob(db, job)
    const retried = await act(db, { what: 'jobs retry', subject: job, ...options }, async (tx) => {
      const again = await retryJob(tx, job)
      if (again.outcome !== 'again') {
        throw new Failure(`A job to retry must be failed or cancelled. Got ${state}`)
      }
      if (again.inserted.outcome === 'inserted') return again
      throw new Failure('The account has too few credits for the job once more')
    })
    return answerOne(rowOf(await requireJob(db, retried.id)))
  })
}

export async function prioritiseJob({
  job,
  priority,
  json,
  ...options
}: OfJob & ActOptions & { priority: Priority }): Promise<void> {
  await operate(json, async (db) => {
    const { state } = await requireJob(db, job)
    const what = `jobs priority ${priority}`
    await act(db, { what, subject: job, ...options }, async (tx) => {
      if (await setPriority(tx, { jobId: job, priority })) return
      throw new Failure(`A job must not have ended to get a priority. Got ${state}`)
    })
    return answerOne(rowOf(await requireJob(db, job)))
  })
}

async function requireJob(db: Db, id: string): Promise<FarmJob> {
  const [job] = await listFarmJobs(db, { id, limit: 1 })
  if (job) return job
  throw new Failure(`JOB must be the id of a job. Got ${id}, which is none`)
}

function rowOf({ id, account, name, state, stage, priority, queued, running, createdAt }: FarmJob) {
  return {
    ...{ id, account, name, state, stage, priority, queued, running },
    created: createdAt,
  } satisfies TableRow
}
