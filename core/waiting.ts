import { isPlanName, plans } from './plans.ts'
import { planShares, type Share } from './shares.ts'

/** What the farm knows about a job that has tasks in the queue. Costs in frames of 720p. */
export type WaitingFacts = {
  /** Of the task that is next. */
  readonly kind: string
  readonly jobRunning: number
  readonly accountRunning: number
  readonly plan: string
  readonly weight: number
  /** Null = the plan's. */
  readonly burst: number | null
  /** The weights of all accounts that want something, summed by plan. */
  readonly weights: Readonly<Record<string, number>>
  /**
   * Queued tasks with earlier start tags that could take the same machines; of each lane at most
   * 1,000 are counted.
   */
  readonly ahead: number
  readonly aheadCost: number
  /** Nodes that take work now. */
  readonly online: number
  /** Of those that can do the task, as many as people let run. */
  readonly slots: number
  readonly used: number
  /**
   * What people let run of the farm (`pool` null), or of a pool when all that could take the task
   * are full; null when there is room.
   */
  readonly limit: {
    readonly pool: string | null
    readonly running: number
    readonly most: number
  } | null
  /** What the node lacks that lacks the least; null when there is none. */
  readonly missing: readonly string[] | null
  /** Measured of the latest tasks of this shape, in one slot; null when there were none. */
  readonly costPerSecond: number | null
  readonly taskSeconds: number | null
}

/** What the farm knows about a job that has neither ended nor anything in the queue or on a node. */
export type IdleJob = {
  readonly plan: string
  /** Whether its workflow is known to run. */
  readonly isStarted: boolean
  /**
   * Since its workflow was started, came to its last stage or had a task ended for it, the latest of
   * these. 0 when it has waited for other jobs, at which it looks from time to time.
   */
  readonly quietSeconds: number
  /** Of its bulk: jobs that are worked on, and items before it that are not yet. */
  readonly bulk: { readonly running: number; readonly ahead: number } | null
  /** Segments that other living jobs of the account render for it, and those jobs. */
  readonly segments: number
  readonly jobs: readonly string[]
  /** Jobs of its workflow that fetch media, while it has fetched none. */
  readonly fetchers: readonly string[]
}

export const waitingReasons = [
  'no_machine',
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

/** Why a job has nothing running, for its customer and for the farm's people. */
export type Waiting = {
  readonly reason: (typeof waitingReasons)[number]
  readonly message: string
  /** Tasks that come first; of a bulk: items. */
  readonly ahead: number
  /**
   * Of the farm, by weight, among the accounts that want something now: 0..1. Null where the job has
   * nothing in the queue.
   */
  readonly share: number | null
  readonly missing: readonly string[]
  /** Those of its account that render what it needs too. */
  readonly jobs: readonly string[]
  /** Seconds from now; null where nothing tells. */
  readonly startsIn: number | null
}

/** Null when something of the job runs, so that it does not wait. */
export function explainWaiting(facts: WaitingFacts): Waiting | null {
  if (facts.jobRunning > 0) return null
  const { burst, weight } = shareOf(facts.plan)
  const wanted = Object.entries(facts.weights).map(([plan, sum]) => sum * shareOf(plan).weight)
  const all = wanted.reduce((sum, each) => sum + each, 0)
  const share = all > 0 ? Math.min(1, (facts.weight * weight) / all) : 1
  const common = { ahead: facts.ahead, share, missing: [], jobs: [], startsIn: null }
  if (facts.missing === null) {
    return { ...common, reason: 'no_machine', message: 'No machine of the farm takes work now.' }
  }
  if (facts.missing.length > 0) {
    const message = `None of the ${facts.online} machines can do this. The nearest lacks ${facts.missing.join(', ')}.`
    return { ...common, reason: 'missing_capability', message, missing: facts.missing }
  }
  if (facts.limit !== null) {
    const { pool, running, most } = facts.limit
    const whose = pool === null ? 'The farm' : `The pool ${pool || 'of nodes that name none'}`
    const message = `${whose} runs ${running} tasks and may run ${most} at once.`
    const startsIn = most === 0 ? null : nextEnd(facts.taskSeconds, running)
    return { ...common, reason: 'farm_limit', message, startsIn }
  }
  const most = facts.burst ?? burst
  if (facts.accountRunning >= most) {
    const message = `The account runs ${facts.accountRunning} tasks and may run ${most} at once.`
    return {
      ...common,
      reason: 'account_limit',
      message,
      startsIn: most === 0 ? null : nextEnd(facts.taskSeconds, facts.accountRunning),
    }
  }
  const startsIn = turnIn(facts)
  const percent = Math.round(share * 100)
  const when = startsIn === null ? '' : ` It should start in about ${Math.ceil(startsIn)} s.`
  const message = `${facts.ahead} tasks are ahead of it; its account's share is ${percent} %.${when}`
  return { ...common, reason: 'turn', message, startsIn }
}

/** A workflow goes from one step to the next in less; the longest is to plan a long film. */
const quietMostSeconds = 10

/** Null when it is just between two steps, so that it waits for nobody. */
export function explainIdle(idle: IdleJob): Waiting | null {
  const { plan, isStarted, bulk, segments, jobs, fetchers } = idle
  const common = { ahead: 0, share: null, missing: [], jobs: [], startsIn: null }
  const { bulkInFlight } = plans[isPlanName(plan) ? plan : 'free']
  if (!isStarted && bulk !== null && bulk.running >= bulkInFlight) {
    const message = `Its bulk has ${bulk.running} jobs in flight and may have ${bulkInFlight} at once; ${bulk.ahead} of its items come before this one.`
    return { ...common, reason: 'bulk_in_flight', message, ahead: bulk.ahead }
  }
  if (!isStarted) {
    return { ...common, reason: 'not_started', message: 'Its workflow has not been started yet.' }
  }
  if (jobs.length === 0 && fetchers.length > 0) {
    const message = `It shows media that other jobs of its bulk fetch now: ${fetchers.join(', ')}.`
    return { ...common, reason: 'media_of_another_job', message, jobs: fetchers }
  }
  if (jobs.length === 0) return explainQuiet(idle)
  const message = `It needs ${segments} segments that other jobs of the account render now: ${jobs.join(', ')}.`
  return { ...common, reason: 'segments_of_another_job', message, jobs }
}

/** All that the job has in the queue is to ask addresses again that failed it. */
export type MediaRetry = {
  readonly message: string
  readonly field: string
  readonly seconds: number
}

export function explainMediaRetry({ message, field, seconds }: MediaRetry): Waiting {
  const again = `It is asked again in ${Math.ceil(seconds)} s.`
  return {
    ...{ ahead: 0, share: null, missing: [], jobs: [], startsIn: seconds },
    reason: 'media_retry',
    message: `${field}: ${message}. ${again}`,
  }
}

/** Nothing of the job is left to nodes or to other jobs, so that its workflow should go on at once. */
function explainQuiet({ quietSeconds }: IdleJob): Waiting | null {
  if (quietSeconds < quietMostSeconds) return null
  return {
    ...{ ahead: 0, share: null, missing: [], jobs: [], startsIn: null },
    reason: 'workflow_late',
    message: `Its workflow has not gone on for ${Math.floor(quietSeconds)} s: what drives the jobs is away or has too much to do.`,
  }
}

function shareOf(plan: string): Share {
  return planShares[isPlanName(plan) ? plan : 'free']
}

/** Until one of so many tasks of the usual length ends. */
function nextEnd(taskSeconds: number | null, running: number): number | null {
  return taskSeconds === null ? null : taskSeconds / Math.max(1, running)
}

/** Until all that is ahead has been taken, at the measured pace of the slots that can do it. */
function turnIn(facts: WaitingFacts): number | null {
  const { slots, used, aheadCost, costPerSecond, taskSeconds } = facts
  if (used < slots && facts.ahead < slots - used) return 0
  if (costPerSecond === null || taskSeconds === null) return null
  return aheadCost / (costPerSecond * slots) + taskSeconds / slots
}
