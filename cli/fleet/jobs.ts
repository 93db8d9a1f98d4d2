import { isFinal, type JobError } from '../../core/jobs/jobs.ts'
import type { Priority } from '../../core/queue/shares.ts'
import { traceIdOf } from '../../runtime/tracing/places.ts'
import type { Db } from '../../store/db/database.ts'
import { cancelJob } from '../../store/db/jobs/cancel-job.ts'
import { getSubmission } from '../../store/db/jobs/get-submissions.ts'
import { type FarmJob, type JobFilter, listFarmJobs } from '../../store/db/jobs/list-farm-jobs.ts'
import { retryJob } from '../../store/db/jobs/retry-job.ts'
import { type AttemptView, listAttempts } from '../../store/db/queue/list-attempts.ts'
import { readWaiting } from '../../store/db/queue/read-waiting.ts'
import { setPriority } from '../../store/db/queue/set-priority.ts'
import { answerOne, operate, requireAccount } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from './act.ts'
import { requireNode } from './nodes.ts'

type OfJob = { readonly job: string; readonly json?: boolean }

const attemptsShown = 200

/** `account` and `node`: an id or a name. `page`: from 1. */
export type JobsAsked = {
  readonly state?: string
  readonly account?: string
  readonly name?: string
  readonly node?: string
  readonly code?: string
  readonly from?: Date
  readonly to?: Date
  readonly limit: number
  readonly page: number
  readonly json?: boolean
}

export async function showJobs({ json, limit, page, ...asked }: JobsAsked): Promise<void> {
  await operate(json, async (db) => {
    const { account, node, from, to, ...rest } = asked
    const filter: JobFilter = {
      ...rest,
      ...(account !== undefined && { accountId: (await requireAccount(db, account)).id }),
      ...(node !== undefined && { nodeId: (await requireNode(db, node)).id }),
      ...(from && { createdFrom: from }),
      ...(to && { createdTo: to }),
    }
    const jobs = await listFarmJobs(db, { ...filter, limit, offset: (page - 1) * limit })
    const more = jobs.length === limit ? [`\nMore: --page ${page + 1}`] : []
    return { json: jobs, text: [showTable(jobs.map(rowOf)), ...more].join('\n') }
  })
}

/**
 * Shows a job with every attempt at its tasks; failed ones with their errors and the end of their
 * logs. `payload`: shows the accepted request instead.
 */
export async function showJob({
  job: id,
  payload,
  json,
}: OfJob & { payload?: boolean }): Promise<void> {
  await operate(json, async (db) => {
    const job = await requireJob(db, id)
    if (payload) {
      const submission = await getSubmission(db, { accountId: job.accountId, jobId: id })
      const request = submission?.request ?? null
      return { json: request, text: JSON.stringify(request, null, 2) }
    }
    const attempts = await listAttempts(db, { of: 'job', id, limit: attemptsShown })
    const rows = attempts.map(({ taskId, attempt, task, node, state, framesDone, seconds }) => ({
      ...{ task: taskId, name: task, attempt, node, state, frames: framesDone },
      seconds: Math.round(seconds * 10) / 10,
    }))
    const reason = job.error ? [`failed: ${reasonOf(job.error)}`] : []
    const trace = traceIdOf(id)
    const head = [showTable([rowOf(job)]), `trace: ${trace}`, ...reason]
    const text = [...head, '', showTable(rows), ...failuresOf(attempts)].join('\n')
    return { json: { ...job, trace, attempts }, text }
  })
}

/**
 * Lists each fault of a task once, with the attempts that ended in it, their work and the end of
 * their log.
 */
function failuresOf(attempts: readonly AttemptView[]): string[] {
  const faults = new Map<string, AttemptView[]>()
  for (const each of attempts) {
    if (each.error === null) continue
    const fault = JSON.stringify([each.taskId, each.error.message, each.logTail])
    faults.set(fault, [...(faults.get(fault) ?? []), each])
  }
  return [...faults.values()].flatMap((same) => {
    const [{ task, url, error, logTail } = raise()] = same
    const tries = same.map(({ attempt, node }) => `${attempt} on ${node}`).join(', ')
    const place = error?.field === undefined ? '' : ` (${error.field})`
    return [
      '',
      `${task}, attempt ${tries}: ${error?.message}${place}`,
      ...(url === null ? [] : [`  ${url}`]),
      ...(logTail ? [logTail.trimEnd()] : []),
    ]
  })
}

function raise(): never {
  throw new Error('A fault has at least one attempt')
}

/** Shows the reason for a job's wait, and when it should start. */
export async function explainJob({ job: id, json }: OfJob): Promise<void> {
  await operate(json, async (db) => {
    const job = await requireJob(db, id)
    const waiting = await readWaiting(db, id)
    const { state, error } = job
    return { json: { id, state, waiting, error }, text: waiting?.message ?? notWaiting(job) }
  })
}

function notWaiting({ state, running, queued, error, stateReason }: FarmJob): string {
  if (error) return `The job does not wait: it failed. ${reasonOf(error)}`
  if (isFinal(state)) return `The job does not wait: it is ${state} (${stateReason}).`
  if (running > 0) {
    return `The job does not wait: ${running} of its tasks run, ${queued} are queued.`
  }
  return `The job has no task in the queue: it is ${state}.`
}

/** Cancels a job and charges the painted frames, like a customer's own cancellation. */
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

/** Submits the same request again, as a new job. */
export async function repeatJob({ job, json, ...options }: OfJob & ActOptions): Promise<void> {
  await operate(json, async (db) => {
    const { state } = await requireJob(db, job)
    const retried = await act(db, { what: 'jobs retry', subject: job, ...options }, async (tx) => {
      const again = await retryJob(tx, job)
      if (again.outcome !== 'again') {
        throw new Failure(`A job to retry must be failed or cancelled. Got ${state}`)
      }
      if (again.inserted.outcome === 'inserted') return again
      throw new Failure('The account has too few credits to run the job again')
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
      throw new Failure(`A job to prioritise must not have ended. Got ${state}`)
    })
    return answerOne(rowOf(await requireJob(db, job)))
  })
}

/** Returns the first cause, with the place in the request where there is one. */
function reasonOf({ code, message, details }: JobError): string {
  const field = details[0]?.field
  return `${code}: ${field && !message.startsWith(field) ? `${field}: ` : ''}${message}`
}

async function requireJob(db: Db, id: string): Promise<FarmJob> {
  const [job] = await listFarmJobs(db, { id, limit: 1 })
  if (job) return job
  throw new Failure(`JOB must be the id of a job. Got ${id}, which does not exist`)
}

function rowOf({ id, account, name, state, stage, priority, queued, running, createdAt }: FarmJob) {
  return {
    ...{ id, account, name, state, stage, priority, queued, running },
    created: createdAt,
  } satisfies TableRow
}
