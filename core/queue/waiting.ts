import { isPlanName, plans } from '../accounts/plans.ts'
import { counted } from '../counted.ts'
import { planShares, type Share } from './shares.ts'

/** Facts about a job that has tasks in the queue. Costs are in frames of 720p. */
export type WaitingFacts = {
  /** Kind of the next task. */
  readonly kind: string
  readonly jobRunning: number
  readonly accountRunning: number
  readonly plan: string
  readonly weight: number
  /** Null = the plan's. */
  readonly burst: number | null
  /** Weights of all accounts that have work, summed by plan. */
  readonly weights: Readonly<Record<string, number>>
  /**
   * Queued tasks with earlier start tags that could take the same machines; at most 1,000 of each
   * lane are counted.
   */
  readonly ahead: number
  readonly aheadCost: number
  /** Nodes that take work now. */
  readonly online: number
  /** Slots that the limits allow on nodes that can do the task. */
  readonly slots: number
  readonly used: number
  /**
   * The full limit: of the farm (`pool` null), or of a pool when all pools that could take the task
   * are full. Null when there is room.
   */
  readonly limit: {
    readonly pool: string | null
    readonly running: number
    readonly most: number
  } | null
  /** Capabilities that the nearest match lacks; null when there is no node. */
  readonly missing: readonly string[] | null
  /** Scaled pool that has no node for the task yet; null when one has, or nobody scales a fitting pool. */
  readonly starting: string | null
  /** Measured over the latest tasks of this shape, in one slot; null when there were none. */
  readonly costPerSecond: number | null
  readonly taskSeconds: number | null
}

/** Facts about an unfinished job without a task in the queue or on a node. */
export type IdleJob = {
  readonly plan: string
  /** True when its workflow is known to run. */
  readonly isStarted: boolean
  /**
   * Seconds since the latest of these: its workflow started, reached its last stage, or had a task
   * ended. 0 when it waits for other jobs, which it polls.
   */
  readonly quietSeconds: number
  /** Jobs of its bulk in progress, and items before it that are not started. */
  readonly bulk: { readonly running: number; readonly ahead: number } | null
  /** Segments that other living jobs of the account render for it, and those jobs. */
  readonly segments: number
  readonly jobs: readonly string[]
  /** Jobs whose media fetches it waits for, while it has fetched none. */
  readonly fetchers: readonly string[]
}

export const waitingReasons = [
  'held',
  'no_machine',
  'pool_starts',
  'missing_capability',
  'farm_limit',
  'account_limit',
  'turn',
  'bulk_in_flight',
  'not_started',
  'segments_of_another_job',
  'media_of_another_job',
  'media_retry',
  'workflow_late',
] as const

/** Reason why nothing of a job runs, for its customer and the farm's operators. */
export type Waiting = {
  readonly reason: (typeof waitingReasons)[number]
  readonly message: string
  /** Tasks that come first; for a bulk: items. */
  readonly ahead: number
  /**
   * Share of the farm, by weight, among the accounts that have work now: 0..1. Null where the job
   * has nothing in the queue.
   */
  readonly share: number | null
  readonly missing: readonly string[]
  /** Jobs of its account that render the segments it needs. */
  readonly jobs: readonly string[]
  /** Seconds from now; null where unknown. */
  readonly startsIn: number | null
}

/** Returns null when a task of the job runs, so that it does not wait. */
export function explainWaiting(facts: WaitingFacts): Waiting | null {
  if (facts.jobRunning > 0) return null
  const { burst, weight } = shareOf(facts.plan)
  const wanted = Object.entries(facts.weights).map(([plan, sum]) => sum * shareOf(plan).weight)
  const all = wanted.reduce((sum, each) => sum + each, 0)
  const share = all > 0 ? Math.min(1, (facts.weight * weight) / all) : 1
  const common = { ahead: facts.ahead, share, missing: [], jobs: [], startsIn: null }
  const starts = facts.starting !== null
  if (facts.missing === null && !starts) {
    return {
      ...common,
      reason: 'no_machine',
      message: 'No machine of the farm is taking work now.',
    }
  }
  if (facts.missing !== null && facts.missing.length > 0 && !starts) {
    const message = `None of the ${facts.online} machines can run the next task of the job. The nearest lacks ${facts.missing.join(', ')}.`
    return { ...common, reason: 'missing_capability', message, missing: facts.missing }
  }
  if (facts.limit !== null) {
    const { pool, running, most } = facts.limit
    const whose = pool === null ? 'The farm' : `The pool ${pool || 'of nodes without a pool'}`
    const message = `${whose} runs ${counted(running, 'task')} and is limited to ${most} at once.`
    const startsIn = most === 0 ? null : nextEnd(facts.taskSeconds, running)
    return { ...common, reason: 'farm_limit', message, startsIn }
  }
  const most = facts.burst ?? burst
  if (facts.accountRunning >= most) {
    const message = `The account runs ${counted(facts.accountRunning, 'task')} and is limited to ${most} at once.`
    return {
      ...common,
      reason: 'account_limit',
      message,
      startsIn: most === 0 ? null : nextEnd(facts.taskSeconds, facts.accountRunning),
    }
  }
  if (starts) {
    return {
      ...common,
      reason: 'pool_starts',
      message: 'Machines for the job are starting. It begins when the first is there.',
    }
  }
  const startsIn = turnIn(facts)
  const percent = Math.round(share * 100)
  const when = startsIn === null ? '' : ` The job should start in about ${Math.ceil(startsIn)} s.`
  const message = `${counted(facts.ahead, 'task')} ${facts.ahead === 1 ? 'is' : 'are'} ahead of the job; the share of its account is ${percent} %.${when}`
  return { ...common, reason: 'turn', message, startsIn }
}

/** Longest step of a running workflow: planning a long film takes less. */
const quietMostSeconds = 10

/** Returns null when the job is just between two steps, so that it does not wait. */
export function explainIdle(idle: IdleJob): Waiting | null {
  const { plan, isStarted, bulk, segments, jobs, fetchers } = idle
  const common = { ahead: 0, share: null, missing: [], jobs: [], startsIn: null }
  const { bulkInFlight } = plans[isPlanName(plan) ? plan : 'free']
  if (!isStarted && bulk !== null && bulk.running >= bulkInFlight) {
    const message = `The bulk has ${bulk.running} jobs in flight and is limited to ${bulkInFlight} at once; ${bulk.ahead} of its items come before this one.`
    return { ...common, reason: 'bulk_in_flight', message, ahead: bulk.ahead }
  }
  if (!isStarted) {
    return {
      ...common,
      reason: 'not_started',
      message: 'The workflow of the job has not started yet.',
    }
  }
  if (jobs.length === 0 && fetchers.length > 0) {
    const message = `The job needs media that other jobs of its bulk are fetching now: ${fetchers.join(', ')}.`
    return { ...common, reason: 'media_of_another_job', message, jobs: fetchers }
  }
  if (jobs.length === 0) return explainQuiet(idle)
  const message = `The job needs ${segments} segments that other jobs of the account are rendering now: ${jobs.join(', ')}.`
  return { ...common, reason: 'segments_of_another_job', message, jobs }
}

/** Explains a job that operators hold. */
export function explainHeld(since: string): Waiting {
  return {
    ...{ ahead: 0, share: null, missing: [], jobs: [], startsIn: null },
    reason: 'held',
    message: `The operators of the farm hold the job since ${since}. It goes on when they resume it; its credits stay held.`,
  }
}

/** A job whose queued tasks are all retries of addresses that failed. */
export type MediaRetry = {
  readonly message: string
  readonly field: string
  readonly seconds: number
}

export function explainMediaRetry({ message, field, seconds }: MediaRetry): Waiting {
  const again = `The next attempt follows in ${Math.ceil(seconds)} s.`
  return {
    ...{ ahead: 0, share: null, missing: [], jobs: [], startsIn: seconds },
    reason: 'media_retry',
    message: `${field}: ${message}. ${again}`,
  }
}

/** Explains a job whose next task every node has refused: its plan is of another engine. */
export function explainRefused({ message, seconds }: Omit<MediaRetry, 'field'>): Waiting {
  return {
    ...{ ahead: 0, share: null, missing: [], jobs: [], startsIn: null },
    reason: 'missing_capability',
    message: `No machine takes the next task of the job. ${message} It is offered again in ${Math.ceil(seconds)} s.`,
  }
}

/** Explains a job with no task and no other job to wait for: its workflow should go on at once. */
function explainQuiet({ quietSeconds }: IdleJob): Waiting | null {
  if (quietSeconds < quietMostSeconds) return null
  return {
    ...{ ahead: 0, share: null, missing: [], jobs: [], startsIn: null },
    reason: 'workflow_late',
    message: `The workflow of the job has made no progress for ${Math.floor(quietSeconds)} s: the workflow service is unavailable or overloaded.`,
  }
}

function shareOf(plan: string): Share {
  return planShares[isPlanName(plan) ? plan : 'free']
}

/** Seconds until one of the running tasks of the usual length ends. */
function nextEnd(taskSeconds: number | null, running: number): number | null {
  return taskSeconds === null ? null : taskSeconds / Math.max(1, running)
}

/**
 * Seconds until all tasks ahead have been leased, at the measured pace of the slots that can do them.
 */
function turnIn(facts: WaitingFacts): number | null {
  const { slots, used, aheadCost, costPerSecond, taskSeconds } = facts
  if (used < slots && facts.ahead < slots - used) return 0
  if (costPerSecond === null || taskSeconds === null) return null
  return aheadCost / (costPerSecond * slots) + taskSeconds / slots
}
