import { isPlanName } from '../accounts/plans.ts'
import { planShares } from './shares.ts'

/** Running tasks and their maximum; null: unlimited. */
type Running = { readonly running: number; readonly most: number | null }

/** Running tasks of everything whose limit applies to a queued task. */
export type LimitFacts = {
  readonly plan: string
  /** The account's own burst; null = the plan's. */
  readonly burst: number | null
  readonly accountRunning: number
  /** Fewest running tasks of a job, among the jobs that have such tasks queued. */
  readonly jobRunning: number
  readonly farm: Running
  /** Pools with nodes that could run the task. */
  readonly pools: readonly (Running & { readonly name: string })[]
}

/** `name`: the pool ('' = nodes that name none), else ''. */
export type Limit = {
  readonly of: 'farm' | 'pool' | 'account' | 'job'
  readonly name: string
  readonly running: number
  readonly most: number
}

/**
 * Returns the limits that keep tasks from running, regardless of free nodes. Pools count only when
 * every pool that could run them is full.
 */
export function limitsReached(facts: LimitFacts): readonly Limit[] {
  const { burst, jobSlots } = planShares[isPlanName(facts.plan) ? facts.plan : 'free']
  const { farm, pools, accountRunning, jobRunning } = facts
  const isFull = ({ running, most }: Running) => most !== null && running >= most
  const places = [
    { of: 'farm', name: '', ...farm },
    ...(pools.every(isFull) ? pools.map((pool) => ({ of: 'pool', ...pool }) as const) : []),
    { of: 'account', name: '', running: accountRunning, most: facts.burst ?? burst },
    { of: 'job', name: '', running: jobRunning, most: jobSlots },
  ] as const
  return places.flatMap(({ most, ...place }) =>
    most !== null && place.running >= most ? [{ ...place, most }] : [],
  )
}
