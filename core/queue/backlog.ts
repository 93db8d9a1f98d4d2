/** Time in which the slots that a pool wants would do all of its backlog. */
const backlogTargetSeconds = 30

/** Queued tasks of one account and shape. */
export type BacklogLane = {
  readonly accountId: string
  /** Pools that could take them, the first choice first; '' = nodes without a pool. */
  readonly pools: readonly string[]
  /** Tasks that the limits of account and jobs would let run beside what runs now. */
  readonly tasks: number
  /** All tasks of the line, with those behind a limit: at least `tasks`. */
  readonly queued: number
  /** Slots that each task takes, and its seconds in them. */
  readonly slots: number
  readonly seconds: number
}

/** Facts of one moment. Limits count tasks, whatever their slots; null: unlimited. */
export type BacklogFacts = {
  /** In the order of their first start tags. */
  readonly lanes: readonly BacklogLane[]
  /** Tasks that each account may run beside what it runs now. */
  readonly accounts: readonly { readonly id: string; readonly left: number }[]
  readonly pools: readonly {
    readonly pool: string
    /** Slots of the tasks that run in it. */
    readonly runningSlots: number
    readonly left: number | null
  }[]
  readonly farmLeft: number | null
}

/** Work that a pool should do now. `seconds` are of single slots. */
export type PoolBacklog = {
  readonly pool: string
  readonly tasks: number
  readonly seconds: number
  readonly runningSlots: number
  readonly wantedSlots: number
}

type Sum = { tasks: number; seconds: number; slots: number; left: number; runningSlots: number }

/**
 * Sums the backlog of each pool, and the slots it wants: those in use, and those that would do the
 * backlog in `backlogTargetSeconds`. Tasks beyond a limit of their job, account, pool or the farm do
 * not count. Where a limit cuts a long line, all that it leaves free is wanted at once.
 */
export function backlogOf(facts: BacklogFacts): readonly PoolBacklog[] {
  const accountsLeft = new Map(facts.accounts.map(({ id, left }) => [id, left]))
  const sums = new Map(
    facts.pools.map(({ pool, runningSlots, left }) => [pool, newSum({ runningSlots, left })]),
  )
  let farmLeft = facts.farmLeft ?? Number.POSITIVE_INFINITY
  for (const lane of facts.lanes) {
    const accountLeft = accountsLeft.get(lane.accountId) ?? 0
    let most = Math.max(0, Math.min(lane.tasks, accountLeft, farmLeft))
    // Slots that would do the whole line in time; each pool adds at most those of its tasks.
    let useful = (lane.queued * lane.slots * lane.seconds) / backlogTargetSeconds
    for (const pool of lane.pools) {
      const sum = sums.get(pool) ?? newSum({ runningSlots: 0, left: null })
      sums.set(pool, sum)
      const tasks = Math.max(0, Math.min(most, sum.left))
      const slots = Math.min(useful, tasks * lane.slots)
      sum.left -= tasks
      sum.tasks += tasks
      sum.seconds += tasks * lane.slots * lane.seconds
      sum.slots += slots
      useful -= slots
      most -= tasks
      farmLeft -= tasks
      accountsLeft.set(lane.accountId, (accountsLeft.get(lane.accountId) ?? 0) - tasks)
    }
  }
  return [...sums].map(([pool, { tasks, seconds, slots, runningSlots }]) => ({
    ...{ pool, tasks, seconds, runningSlots },
    wantedSlots: Math.ceil(Math.max(0, runningSlots + slots - rounding)),
  }))
}

function newSum({ runningSlots, left }: { runningSlots: number; left: number | null }): Sum {
  return { tasks: 0, seconds: 0, slots: 0, left: left ?? Number.POSITIVE_INFINITY, runningSlots }
}

/** Error of summed fractions of slots, which must not round up to one more. */
const rounding = 1e-9
