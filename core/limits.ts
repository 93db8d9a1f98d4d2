import { isPlanName } from './plans.ts'
import { planShares } from './shares.ts'

/** Tasks that run of something, and how many may at once; null: it has no limit. */
type Running = { readonly running: number; readonly most: number | null }

/** What runs of all that a queued task counts to. */
export type LimitFacts = {
  readonly plan: string
  /** Of the account's own row; null = the plan's. */
  readonly burst: number | null
  readonly accountRunning: number
  /** Of the job that has the least running, among those that have such tasks queued. */
  readonly jobRunning: number
  readonly farm: Running
  /** Pools with nodes that could do it. */
  readonly pools: readonly (Running & { readonly name: string })[]
}

/** `name`: of the pool ('' = nodes that name none), else ''. */
export type Limit = {
  readonly of: 'farm' | 'pool' | 'account' | 'job'
  readonly name: string
  readonly running: number
  readonly most: number
}

/**
 * The limits that keep tasks from running, whatever the nodes could take. A pool's count only when
 * every pool that could take them is full.
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
