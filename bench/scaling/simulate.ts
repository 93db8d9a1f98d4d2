import { backlogOf } from '../../core/queue/backlog.ts'
import { percentile } from '../statistics.ts'
import { Autoscaler } from './autoscaler.ts'
import { Fleet, nodeSlots } from './fleet.ts'
import { type Load, type Pool, pools } from './load.ts'
import { type OpenJob, Queue } from './queue.ts'
import { Random } from './random.ts'

/**
 * Size of the pools: a fixed number of machines for each, or by a signal: `seconds` the wanted slots of
 * core/queue/backlog.ts, `length` the number of waiting and running tasks.
 */
export type Policy =
  | { readonly by: 'fixed'; readonly machines: Readonly<Record<Pool, number>> }
  | { readonly by: 'seconds' | 'length'; readonly least: Readonly<Record<Pool, number>> }

export type Outcome = {
  /** Hours of machines, in prices of a CPU machine on demand. */
  readonly cost: number
  /** Seconds from a job's submission to its first task; of accounts without a small limit. */
  readonly waits: readonly number[]
  /** Seconds from a job's submission to its end. */
  readonly times: readonly number[]
  readonly starts: number
  /** Spot machines that were taken away, and attempts that ended unfinished. */
  readonly taken: number
  readonly lost: number
  /** Share of the slots that work, of those that could. */
  readonly busy: number
  /** Machines and wanted slots of the pool `cpu`, each minute. */
  readonly followed: readonly { readonly slots: number; readonly wanted: number }[]
  readonly unfinished: number
}

const mostMachines = 100
/** Seconds between readings of the metric; a change from zero is pushed. */
const pollSeconds = 5

/** Plays a load second by second. The same seed gives the same outcome. */
export function simulate(
  load: Load,
  {
    policy,
    seed,
    seconds,
    isSpot = true,
  }: { policy: Policy; seed: number; seconds: number; isSpot?: boolean },
): Outcome {
  const random = new Random(seed)
  const queue = new Queue(load.burst)
  const waits: number[] = []
  const times: number[] = []
  const followed: { slots: number; wanted: number }[] = []
  const isUsual = ({ account, tasks }: OpenJob) => load.burst(account) > tasks
  const onStart = (job: OpenJob, at: number) => {
    if (isUsual(job)) waits.push(at - job.at)
  }
  const onEnd = (job: OpenJob, at: number) => {
    if (isUsual(job)) times.push(at - job.at)
  }
  const fleets = pools.map((pool) => {
    const least = policy.by === 'fixed' ? policy.machines[pool] : policy.least[pool]
    // The machines that are always there are on demand.
    const onDemand = isSpot ? least : Number.POSITIVE_INFINITY
    const fleet = new Fleet({ pool, queue, random, onDemand, onStart, onEnd })
    fleet.begin(least)
    return {
      pool,
      least,
      fleet,
      scaler: new Autoscaler({ slots: nodeSlots, least, most: mostMachines }),
    }
  })
  let next = 0
  let metrics = new Map<Pool, number>()
  for (let now = 0; now < seconds; now += 1) {
    for (let job = load.jobs[next]; job !== undefined && job.at <= now; job = load.jobs[next]) {
      queue.add(job)
      next += 1
    }
    const isAsleep = fleets.some(({ fleet }) => fleet.size === 0)
    if (now % pollSeconds === 0 || isAsleep) metrics = metricsOf()
    for (const { pool, least, fleet, scaler } of fleets) {
      const metric = metrics.get(pool) ?? 0
      const size =
        policy.by === 'fixed'
          ? least
          : scaler.next({ now, size: fleet.size, metric, isActive: metric > 0 })
      fleet.scaleTo(size, now)
      fleet.step(now)
      if (pool === 'cpu' && now % 60 === 0)
        followed.push({ slots: fleet.size * nodeSlots, wanted: metric })
    }
  }
  const sum = (of: (fleet: Fleet) => number) =>
    fleets.reduce((total, { fleet }) => total + of(fleet), 0)
  return {
    ...{ waits, times, followed },
    cost: sum(({ cost }) => cost),
    starts: sum(({ starts }) => starts),
    taken: sum(({ taken }) => taken),
    lost: sum(({ lost }) => lost),
    busy: sum((fleet) => fleet.busySlotSeconds) / sum((fleet) => fleet.slotSeconds),
    unfinished: pools.reduce((total, pool) => total + queue.waitingIn(pool), 0),
  }

  function metricsOf(): Map<Pool, number> {
    if (policy.by === 'length') {
      const tasks = fleets.map(
        ({ pool, fleet }) => [pool, queue.waitingIn(pool) + fleet.runningSlots] as const,
      )
      return new Map(tasks)
    }
    const running = fleets.map(({ pool, fleet }) => ({
      ...{ pool, runningSlots: fleet.runningSlots, left: null },
    }))
    const backlog = backlogOf({ ...queue.facts(), pools: running, farmLeft: null })
    return new Map(backlog.map(({ pool, wantedSlots }) => [pool as Pool, wantedSlots]))
  }
}

/** Median and high percentiles of seconds. */
export function secondsOf(values: readonly number[]): readonly number[] {
  return [50, 95, 99].map((percent) => percentile(values, percent))
}
