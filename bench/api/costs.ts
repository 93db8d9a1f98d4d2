import { processorTimes } from '../processor-time.ts'
import { showSpread, spreadOf } from '../statistics.ts'
import type { Load } from './load.ts'
import type { Stage } from './stage.ts'

/**
 * Load with the processor time in ms of each part per request, including the work after its answer.
 */
export type Costed = Load & {
  readonly ms: Parts
  /** Requests a second until all work after their answers was done. */
  readonly donePerSecond: number
}
type Parts = {
  readonly postgres: number
  readonly temporal: number
  readonly servers: number
  readonly clients: number
}

/**
 * Runs a load and measures its cost, including the work after its answers: `settled` resolves when
 * none is left.
 */
export async function costOf(
  { pids }: Stage,
  {
    servers,
    run,
    settled = async () => undefined,
  }: {
    servers: readonly number[]
    run: () => Promise<Load>
    settled?: () => Promise<unknown>
  },
): Promise<Costed> {
  const read = async () => {
    const all = await processorTimes([pids.postgres, pids.temporal, ...servers])
    const { user, system } = process.cpuUsage()
    return [...all, (user + system) / 1e6]
  }
  const before = await read()
  const began = performance.now()
  const ran = await run()
  await settled()
  const donePerSecond = (ran.count * 1000) / (performance.now() - began)
  const after = await read()
  const spent = after.map((seconds, i) => ((seconds - (before[i] ?? 0)) * 1000) / ran.count)
  const [postgres = 0, temporal = 0, ...rest] = spent
  const clients = rest.pop() ?? 0
  return { ...ran, donePerSecond, ms: { postgres, temporal, servers: sum(rest), clients } }
}

/**
 * Formats medians over all turns: `1.56 (1.50 .. 1.60): Postgres 0.20, Temporal 0.00, servers 0.30,
 * clients 0.20`.
 */
export function showCosts(turns: readonly Costed[]): string {
  const of = (value: (ms: Parts) => number) => spreadOf(turns.map(({ ms }) => value(ms)))
  const whole = showSpread(
    of((ms) => sum(Object.values(ms))),
    2,
  )
  const part = (value: (ms: Parts) => number) => of(value).median.toFixed(2)
  const parts = [
    `Postgres ${part((ms) => ms.postgres)}`,
    `Temporal ${part((ms) => ms.temporal)}`,
    `servers ${part((ms) => ms.servers)}`,
    `clients ${part((ms) => ms.clients)}`,
  ]
  return `${whole}: ${parts.join(', ')}`
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0)
}
