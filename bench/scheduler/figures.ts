import { sql } from 'kysely'
import { createLog } from '../../runtime/log.ts'
import { openDatabase } from '../../store/db/database.ts'
import { readBacklog } from '../../store/db/fleet/read-backlog.ts'
import { readFleetFigures } from '../../store/db/fleet/read-fleet-figures.ts'
import { leaseTasks } from '../../store/db/queue/lease-tasks.ts'
import { percentile } from '../statistics.ts'
import { showLoad } from './fleets.ts'
import { emptyQueue, fillQueue, nodesByTurns, roundOf } from './queue.ts'
import { addTenants, type Stage } from './stage.ts'

const tenantCount = 20
/** Running tasks, of a history of completed ones. */
const leases = 500
const reads = 20
const log = createLog('bench', 'silent')

export const figuresHeader = [
  ...['queued', 'figures ms p50', 'p99', 'backlog ms p50', 'p99', 'wanted slots', 'load'],
]

/** Measures the statement of a pool's backlog beside that of the metrics, while the queue gets deeper. */
export async function measureFigures(
  { db, databaseUrl }: Stage,
  depths: readonly number[],
): Promise<string[][]> {
  await emptyQueue(db)
  const tenants = await addTenants(db, tenantCount)
  const nextNode = await nodesByTurns(db, { slots: 4 })
  const schedulers = openDatabase({ url: databaseUrl, log, connections: 1, prepared: true })
  const rows: string[][] = []
  let there = 0
  for (const depth of depths) {
    await fillQueue(db, { tenants, each: Math.round((depth - there) / tenantCount) })
    await sql`analyze tasks, attempts`.execute(db)
    there = depth
    for (let turn = 0; turn < leases / 4; turn += 1)
      await leaseTasks(schedulers, roundOf([nextNode()]))
    // Two thirds of them are history, which tells the pace.
    await sql`update attempts set state = 'completed', ended_at = leased_at + interval '5 seconds'
      where ('x' || left(task_id::text, 1))::bit(4)::integer % 3 > 0`.execute(db)
    const figures = await timesOf(() => readFleetFigures(schedulers, { seenWithinMs: 30_000 }))
    const backlog = await timesOf(() => readBacklog(schedulers))
    const wanted = (await readBacklog(schedulers)).reduce((sum, each) => sum + each.wantedSlots, 0)
    const both = [figures, backlog].flatMap((times) =>
      [50, 99].map((percent) => percentile(times, percent).toFixed(1)),
    )
    rows.push([String(depth), ...both, String(wanted), showLoad()])
    await sql`truncate attempts`.execute(db)
    await sql`update tasks set state = 'queued' where state = 'leased'`.execute(db)
  }
  await schedulers.destroy()
  return rows
}

/** Milliseconds of each read after the first. */
async function timesOf(read: () => Promise<unknown>): Promise<readonly number[]> {
  await read()
  const times: number[] = []
  for (let turn = 0; turn < reads; turn += 1) {
    const began = performance.now()
    await read()
    times.push(performance.now() - began)
  }
  return times
}
