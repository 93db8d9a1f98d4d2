import { showTable } from '../statistics.ts'
import { nodeSlots } from './fleet.ts'
import { dayOfBursts, daySeconds, kinds, type Pool, pools } from './load.ts'
import { type Outcome, type Policy, secondsOf, simulate } from './simulate.ts'

const header = [
  ...['pools', 'cost', 'wait s p50', 'p95', 'p99', 'job s p50', 'p95'],
  ...['starts', 'taken', 'lost', 'busy', 'left'],
]

/** Plays a day of bursts over fleets of several kinds. `seed` decides the day and its losses. */
export async function benchScaling(seed: number): Promise<void> {
  const load = dayOfBursts(seed)
  const work = pools.map((pool) => [pool, slotSecondsOf(pool)] as const)
  const machines = (share: number) =>
    Object.fromEntries(
      work.map(([pool, slotSeconds]) => [
        pool,
        Math.max(1, Math.ceil((share * slotSeconds) / daySeconds / nodeSlots)),
      ]),
    ) as Record<Pool, number>
  const fleets: readonly (readonly [string, Policy])[] = [
    ['fixed, twice the mean', { by: 'fixed', machines: machines(2) }],
    ['fixed, ten times the mean', { by: 'fixed', machines: machines(10) }],
    ['fixed, thirty times the mean', { by: 'fixed', machines: machines(30) }],
    ['by queue length, from zero', { by: 'length', least: { cpu: 0, gpu: 0 } }],
    ['by queue length, one CPU machine stays', { by: 'length', least: { cpu: 1, gpu: 0 } }],
    ['by seconds, from zero', { by: 'seconds', least: { cpu: 0, gpu: 0 } }],
    ['by seconds, one CPU machine stays', { by: 'seconds', least: { cpu: 1, gpu: 0 } }],
    ['by seconds, four CPU machines stay', { by: 'seconds', least: { cpu: 4, gpu: 0 } }],
  ]
  const hours = work.map(([pool, seconds]) => `${pool} ${(seconds / 3_600).toFixed(1)} h`)
  process.stdout.write(
    `seed ${seed}: ${load.jobs.length} jobs, work of a slot: ${hours.join(', ')}\n`,
  )
  const rows = fleets.map(([name, policy]) =>
    rowOf(name, simulate(load, { policy, seed, seconds: daySeconds })),
  )
  process.stdout.write(`${showTable(header, rows)}\n`)

  function slotSecondsOf(pool: Pool): number {
    return load.jobs
      .filter(({ kind }) => kinds[kind].pool === pool)
      .reduce((sum, { kind, tasks }) => sum + tasks * kinds[kind].slots * kinds[kind].seconds, 0)
  }
}

function rowOf(name: string, outcome: Outcome): string[] {
  const { cost, waits, times, starts, taken, lost, busy, unfinished } = outcome
  return [
    ...[name, cost.toFixed(0)],
    ...[...secondsOf(waits), ...secondsOf(times).slice(0, 2)].map((each) => each.toFixed(0)),
    ...[
      String(starts),
      String(taken),
      String(lost),
      `${Math.round(100 * busy)} %`,
      String(unfinished),
    ],
  ]
}
