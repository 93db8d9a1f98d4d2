import { loadavg } from 'node:os'
import { percentile } from '../statistics.ts'
import { startNodes } from './nodes.ts'
import { emptyQueue, fillQueue } from './queue.ts'
import { addTenants, type Stage } from './stage.ts'

/** Nodes, and the mean time of their tasks in milliseconds. */
export type FleetSize = { readonly nodes: number; readonly taskMs: number }

export const fleetHeader = [
  ...['nodes', 'task s', 'asked/s', 'leases/s', 'lease ms p50', 'p99', 'complete p99', 'renew p99'],
  ...['renewals/s', 'failed calls', 'loop p99', 'load'],
]

/** Leases a second and what calls take, with 10 accounts that have more than enough queued. */
export async function measureFleet(
  { db, addresses }: Stage,
  { size: { nodes, taskMs }, seconds }: { size: FleetSize; seconds: number },
): Promise<string[]> {
  await emptyQueue(db)
  await fillQueue(db, { tenants: await addTenants(db, 10), each: 3_000 })
  const fleet = await startNodes(addresses, { count: nodes, taskMs })
  try {
    const seen = await fleet.observe(seconds)
    return [
      String(nodes),
      (taskMs / 1000).toString(),
      taskMs === 0 ? 'all it can' : (nodes / (taskMs / 1000)).toFixed(0),
      (seen.leased / seen.seconds).toFixed(1),
      showMs(seen.leaseMs, 50),
      showMs(seen.leaseMs, 99),
      showMs(seen.completeMs, 99),
      showMs(seen.renewMs, 99),
      (seen.renewMs.length / seen.seconds).toFixed(0),
      String(seen.failed),
      seen.loopMs.toFixed(0),
      showLoad(),
    ]
  } finally {
    await fleet.stop()
  }
}

export function showLoad(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1)
}

function showMs(times: readonly number[], percent: number): string {
  return times.length === 0 ? '-' : percentile(times, percent).toFixed(0)
}
