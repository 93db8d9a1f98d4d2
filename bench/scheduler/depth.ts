import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { createLog } from '../../runtime/log.ts'
import { openDatabase, openPool } from '../../store/db/database.ts'
import { genericPlan } from '../../store/db/prepared.ts'
import { leaseTasks } from '../../store/db/queue/lease-tasks.ts'
import type { Want } from '../../store/db/queue/lock-heads.ts'
import type { Tables } from '../../store/db/schema.ts'
import { percentile } from '../statistics.ts'
import { showLoad } from './fleets.ts'
import { emptyQueue, fillQueue, nodesByTurns, roundOf } from './queue.ts'
import { addTenants, type Stage } from './stage.ts'

const tenantCount = 10
const warmUps = 10
const log = createLog('bench', 'silent')

export const depthHeader = [
  ...['queued', 'lease ms p50', 'p99', 'planning ms', 'execution ms', 'pages touched'],
  'load',
]

/** Measured depths, and how the plan reads the queue: one line for each scan of `tasks`. */
export type Depths = { readonly rows: string[][]; readonly scans: readonly string[] }

/**
 * Measures milliseconds of one lease with its commit while the queue gets deeper, and explains
 * Postgres's plan at the deepest.
 */
export async function measureDepths(
  { db, databaseUrl }: Stage,
  { depths, leases }: { depths: readonly number[]; leases: number },
): Promise<Depths> {
  await emptyQueue(db)
  const tenants = await addTenants(db, tenantCount)
  const nextNode = await nodesByTurns(db, { slots: 4 })
  const schedulers = openDatabase({ url: databaseUrl, log, connections: 1, prepared: true })
  // Planned while the queue is empty: the plan must serve any depth.
  await leaseTasks(schedulers, roundOf([nextNode()]))
  const rows: string[][] = []
  let plan: Plan | undefined
  let there = 0
  for (const depth of depths) {
    await fillQueue(db, { tenants, each: Math.round((depth - there) / tenantCount) })
    there = depth
    const times = await timesOf(leases + warmUps, () =>
      leaseTasks(schedulers, roundOf([nextNode()])),
    )
    plan = await explain(databaseUrl, nextNode())
    rows.push([
      String(depth),
      percentile(times.slice(warmUps), 50).toFixed(1),
      percentile(times.slice(warmUps), 99).toFixed(1),
      plan.planningMs.toFixed(1),
      plan.executionMs.toFixed(1),
      String(pagesOf(plan.root)),
      showLoad(),
    ])
    await sql`update tasks set state = 'queued' where state = 'leased'`.execute(db)
    await sql`truncate attempts`.execute(db)
  }
  await schedulers.destroy()
  return { rows, scans: plan === undefined ? [] : scansOf(plan.root).map(showScan) }
}

async function timesOf(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return times
}

/** Node of `explain (analyze, buffers, format json)`. */
type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}
type Plan = { readonly root: PlanNode; readonly planningMs: number; readonly executionMs: number }

/**
 * Explains the statement that selects and locks, as the scheduler sends it, executed and rolled
 * back.
 */
async function explain(url: string, want: Want): Promise<Plan> {
  const pool = openPool({ url, log, connections: 1, settings: genericPlan })
  let sent: CompiledQuery | undefined
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.sql.includes('recursive running')) sent ??= query
    },
  })
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`savepoint before`.execute(tx)
      await leaseTasks(tx, roundOf([want]))
      await sql`rollback to before`.execute(tx)
      if (sent === undefined) throw new Error('Leasing must send its statement.')
      const text = `explain (analyze, buffers, format json) ${sent.sql}`
      const { rows } = await tx.executeQuery<Explained>({ ...sent, sql: text })
      await sql`rollback to before`.execute(tx)
      const [answer] = rows[0]?.['QUERY PLAN'] ?? []
      if (answer === undefined) throw new Error('Postgres must explain what it is asked.')
      const { Plan: root, 'Planning Time': planningMs, 'Execution Time': executionMs } = answer
      return { root, planningMs, executionMs }
    })
  } finally {
    await db.destroy()
  }
}

type Explained = {
  readonly 'QUERY PLAN': readonly {
    readonly Plan: PlanNode
    readonly 'Planning Time': number
    readonly 'Execution Time': number
  }[]
}

function scansOf(node: PlanNode): readonly PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansOf)
  const reads = node['Relation Name'] === 'tasks' && node['Node Type'] !== 'ModifyTable'
  return reads ? [node, ...below] : below
}

/** Returns the pages of the node with all its descendants. */
function pagesOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks']
}

function showScan(scan: PlanNode): string {
  const rows = scan['Actual Rows'] * scan['Actual Loops']
  const index = scan['Index Name'] === undefined ? '' : ` by ${scan['Index Name']}`
  return `${scan['Node Type']} of tasks${index}: ${scan['Actual Loops']} times, ${Math.round(rows)} rows`
}
