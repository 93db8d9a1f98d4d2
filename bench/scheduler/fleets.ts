import { loadavg } from 'node:os'
import { processorTimes } from '../processor-time.ts'
import { percentile } from '../statistics.ts'
import { startFleet } from './fleet.ts'
import { emptyQueue, fillQueue } from './queue.ts'
import { addTenants, type Stage } from './stage.ts'

/** Number of nodes, and the mean time of their tasks in milliseconds. */
export type FleetSize = { readonly nodes: number; readonly taskMs: number }

export const fleetHeader = [
  ...['nodes', 'task s', 'came in s', 'asked/s', 'leases/s', 'lease ms p50', 'p99', 'complete p99'],
  ...['renew p99', 'renewals/s', 'failed calls', 'loop p99', 'cores: nodes', 'schedulers'],
  ...['Postgres', 'load'],
]

/** Nodes per process; fewer nodes need only one. */
const nodesAProcess = 250

export type FleetSeen = { readonly row: string[]; readonly notes: readonly string[] }

/**
 * Measures leases a second and latencies, with 10 accounts that have more than enough queued, and
 * each process's share of the machine.
 */
export async function measureFleet(
  { db, addresses, pids }: Stage,
  {
    size: { nodes, taskMs },
    seconds,
    clients,
  }: { size: FleetSize; seconds: number; clients: number },
): Promise<FleetSeen> {
  await emptyQueue(db)
  await fillQueue(db, { tenants: await addTenants(db, 10), each: 3_000 })
  const processes = Math.min(clients, Math.ceil(nodes / nodesAProcess))
  const began = performance.now()
  const fleet = await startFleet(addresses, { count: nodes, taskMs, processes })
  const cameIn = (performance.now() - began) / 1000
  try {
    const groups = [fleet.pids, pids.schedulers, [pids.postgres]]
    const before = await Promise.all(groups.map(coresOf))
    const seen = await fleet.observe(seconds)
    const after = await Promise.all(groups.map(coresOf))
    const cores = after.map((time, index) => (time - (before[index] ?? 0)) / seen.seconds)
    const failed = Object.values(seen.failed).reduce((sum, times) => sum + times, 0)
    const row = [
      String(nodes),
      (taskMs / 1000).toString(),
      cameIn.toFixed(0),
      taskMs === 0 ? 'all it can' : (nodes / (taskMs / 1000)).toFixed(0),
      (seen.leased / seen.seconds).toFixed(1),
      showMs(seen.leaseMs, 50),
      showMs(seen.leaseMs, 99),
      showMs(seen.completeMs, 99),
      showMs(seen.renewMs, 99),
      (seen.renewMs.length / seen.seconds).toFixed(0),
      String(failed),
      seen.loopMs.toFixed(0),
      ...cores.map((each) => each.toFixed(2)),
      showLoad(),
    ]
    return { row, notes: notesOf(nodes, { ...fleet, failed: seen.failed }) }
  } finally {
    await fleet.stop()
  }
}

async function coresOf(pids: readonly number[]): Promise<number> {
  return (await processorTimes(pids)).reduce((sum, time) => sum + time, 0)
}

type Notes = {
  readonly begun: number
  readonly failedBefore: Readonly<Record<string, number>>
  readonly failed: Readonly<Record<string, number>>
}

function notesOf(nodes: number, { begun, failedBefore, failed }: Notes): string[] {
  const show = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([what, times]) => `${times} ${what}`)
  const notes: string[] = []
  if (begun < nodes) notes.push(`${nodes - begun} of ${nodes} nodes had no task when all had come`)
  for (const each of show(failedBefore)) notes.push(`failed while they came: ${each}`)
  for (const each of show(failed)) notes.push(`failed: ${each}`)
  return notes
}

export function showLoad(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1)
}

function showMs(times: readonly number[], percent: number): string {
  return times.length === 0 ? '-' : percentile(times, percent).toFixed(0)
}
