import { explainedLines } from '../../core/jobs/explained-lines.ts'
import { isFinal, type JobError, type JobState } from '../../core/jobs/jobs.ts'
import type { Priority } from '../../core/queue/shares.ts'
import {
  cancelJobOperation,
  prioritiseJobOperation,
  readRequestOperation,
  retryJobOperation,
} from '../../operator/job-changes.ts'
import {
  holdJobOperation,
  pauseJobOperation,
  resumeJobOperation,
} from '../../operator/job-holds.ts'
import { explainJobOperation, getJobOperation, listJobsOperation } from '../../operator/jobs.ts'
import type { FarmJob } from '../../store/db/jobs/list-farm-jobs.ts'
import type { AttemptView } from '../../store/db/queue/list-attempts.ts'
import { answerOne, type Farm, operateFarm } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'
import { usage } from '../failure.ts'
import type { ActOptions } from './act.ts'

type OfJob = { readonly job: string; readonly json?: boolean }

/** `account` and `node`: an id or a name. `page`: from 1. */
export type JobsAsked = {
  readonly state?: JobState
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

export async function showJobs({ json, ...asked }: JobsAsked): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { jobs, next } = await pageOfJobs(farm, asked)
    const more = next === null ? [] : [`\nMore: --page ${asked.page + 1}`]
    return { json: jobs, text: [showTable(jobs.map(rowOfJob)), ...more].join('\n') }
  })
}

/** Reads a page by way of those before it: each begins after the last job of the one before. */
async function pageOfJobs(farm: Farm, { page, from, to, ...rest }: Omit<JobsAsked, 'json'>) {
  const asked = {
    ...rest,
    ...(from && { from: from.toISOString() }),
    ...(to && { to: to.toISOString() }),
  }
  let found = await farm.run(listJobsOperation, asked)
  for (let at = 1; at < page; at += 1) {
    if (found.next === null) return { jobs: [], next: null }
    found = await farm.run(listJobsOperation, { ...asked, after: found.next })
  }
  return found
}

/**
 * Shows a job with every attempt at its tasks; failed ones with their errors and the end of their
 * logs. `payload`: shows the accepted request instead, which is an act with a reason.
 */
export async function showJob({
  job: id,
  payload,
  why,
  ...options
}: OfJob & Partial<ActOptions> & { payload?: boolean }): Promise<void> {
  if (payload && why === undefined) {
    throw usage('--why must say why the request of a customer is read. Got --payload without it')
  }
  await operateFarm(options, async (farm) => {
    if (payload && why !== undefined) {
      const { request } = await farm.run(readRequestOperation, { job: id, why })
      return { json: request, text: JSON.stringify(request, null, 2) }
    }
    const job = await farm.run(getJobOperation, { job: id })
    const { attempts, trace } = job
    const rows = attempts.map(({ taskId, attempt, task, node, state, framesDone, seconds }) => ({
      ...{ task: taskId, name: task, attempt, node, state, frames: framesDone },
      seconds: Math.round(seconds * 10) / 10,
    }))
    const held = job.heldAt ? [`held: ${job.holdReason}`] : []
    const reason = job.error ? [`failed: ${reasonOf(job.error)}`] : []
    const head = [showTable([rowOfJob(job)]), `trace: ${trace}`, ...held, ...reason]
    const text = [...head, '', showTable(rows), ...failuresOf(attempts)].join('\n')
    return { json: job, text }
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

/** Shows the reason for a job's wait, and when it should start; of one that has ended, where its time went. */
export async function explainJob({ job: id, json }: OfJob): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { waiting, times, ...job } = await farm.run(explainJobOperation, { job: id })
    const { state, error } = job
    const spent = times ? ['', ...explainedLines(times)] : []
    const text = [waiting?.message ?? notWaiting(job), ...spent].join('\n')
    return { json: { id, state, waiting, error, times }, text }
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

const changes = {
  cancel: cancelJobOperation,
  retry: retryJobOperation,
  hold: holdJobOperation,
  pause: pauseJobOperation,
  resume: resumeJobOperation,
} as const

/** Changes a job, or submits its request again as a new one (`retry`), and shows the result. */
export async function changeJob({
  job,
  change,
  why,
  ...options
}: OfJob & ActOptions & { readonly change: keyof typeof changes }): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOfJob(await farm.run(changes[change], { job, why }))),
  )
}

export async function prioritiseJob({
  job,
  priority,
  why,
  ...options
}: OfJob & ActOptions & { priority: Priority }): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOfJob(await farm.run(prioritiseJobOperation, { job, priority, why }))),
  )
}

/** Returns the first cause, with the place in the request where there is one. */
function reasonOf({ code, message, details }: JobError): string {
  const field = details[0]?.field
  return `${code}: ${field && !message.startsWith(field) ? `${field}: ` : ''}${message}`
}

export function rowOfJob({
  id,
  account,
  name,
  state,
  stage,
  priority,
  queued,
  running,
  ...job
}: FarmJob) {
  return {
    ...{ id, account, name, state, stage, priority, queued, running, held: job.heldAt },
    created: job.createdAt,
  } satisfies TableRow
}
