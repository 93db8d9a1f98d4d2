import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { jainIndex } from '../../core/queue/shares.ts'
import { enqueueTasks, type NewTask } from '../../store/db/queue/enqueue-tasks.ts'
import { showLoad } from './fleets.ts'
import { startNodes } from './nodes.ts'
import { emptyQueue, fillQueue } from './queue.ts'
import { addTenant, addTenants, type Stage, type Tenant } from './stage.ts'

export const fairnessHeader = ['fairness', 'goal', 'measured', 'seen', 'load']

const nodes = 20
const taskMs = 500
/** Duration of the tasks that crowd a single one: nearer to a shard's time (5 s). */
const crowdTaskMs = 2_000
const tenantCount = 10

/** Measures the shares of 10 equal accounts that all have more queued than can be done. */
export async function measureEquals({ db, addresses }: Stage, seconds: number): Promise<string[]> {
  await emptyQueue(db)
  await fillQueue(db, { tenants: await addTenants(db, tenantCount), each: 1_000 })
  const fleet = await startNodes(addresses, { count: nodes, taskMs })
  await fleet.observe(seconds)
  await fleet.stop()
  const { rows } = await sql<{ cost: number }>`
    select sum(cost) as cost from attempts group by account_id`.execute(db)
  const shares = Array.from({ length: tenantCount }, (_, index) => rows[index]?.cost ?? 0)
  const tasks = shares.map((cost) => cost / 100)
  const seen = `${Math.min(...tasks)} to ${Math.max(...tasks)} tasks each`
  return ['Jain index of 10 equals', '>= 0.95', jainIndex(shares).toFixed(4), seen, showLoad()]
}

/** Measures how long the only task of one account waits beside another account's 10^5. */
export async function measureSingle(
  { db, addresses }: Stage,
  { crowd, repeats }: { crowd: number; repeats: number },
): Promise<string[]> {
  await emptyQueue(db)
  await fillQueue(db, { tenants: await addTenants(db, 1), each: crowd })
  const fleet = await startNodes(addresses, { count: 4, taskMs: crowdTaskMs })
  const waits: number[] = []
  try {
    for (let turn = 0; turn < repeats; turn += 1) waits.push(await waitOf(await addTenant(db)))
  } finally {
    await fleet.stop()
  }
  const longest = Math.max(...waits) / crowdTaskMs
  const seen = `longest of ${repeats}, 4 nodes, tasks of ${crowdTaskMs / 1000} s, in mean task times`
  return [`one task beside ${crowd}`, '<= 2', longest.toFixed(2), seen, showLoad()]

  async function waitOf({ accountId, jobId }: Tenant): Promise<number> {
    const task: NewTask = {
      ...{ jobId, name: 'render-1', kind: 'render', spec: {}, inputs: [], outputs: [] },
      ...{ requirements: {}, cost: 100, framesTotal: 100, token: randomBytes(16) },
    }
    await enqueueTasks(db, { accountId, tasks: [task] })
    for (;;) {
      const { rows } = await sql<{ ms: number }>`
        select extract(epoch from a.leased_at - t.created_at)::float8 * 1000 as ms
        from attempts a join tasks t on t.id = a.task_id where t.job_id = ${jobId}`.execute(db)
      if (rows[0] !== undefined) return rows[0].ms
      await sleep(20)
    }
  }
}

/**
 * Measures inversions among jobs queued together with low, normal and high priority: the share of
 * pairs in which the n-th task of the lower one began before the n-th of the higher one.
 */
export async function measureInversions(
  { db, addresses }: Stage,
  seconds: number,
): Promise<string[]> {
  await emptyQueue(db)
  const priorities = ['low', 'normal', 'high'] as const
  const tenants = await Promise.all(priorities.map((priority) => addTenant(db, priority)))
  await fillQueue(db, { tenants, each: 3_000 })
  const fleet = await startNodes(addresses, { count: nodes, taskMs })
  await fleet.observe(seconds)
  await fleet.stop()
  const { rows } = await sql<{ pairs: number; inverted: number }>`
    with begun as (
      select t.name, a.leased_at,
        array_position(array['low', 'normal', 'high'], j.priority) as rank
      from tasks t join jobs j on j.id = t.job_id left join attempts a on a.task_id = t.id
    )
    select count(*)::integer as pairs,
      (count(*) filter (where low.leased_at < coalesce(high.leased_at, 'infinity')))::integer
        as inverted
    from begun low join begun high on high.name = low.name and high.rank > low.rank
    where low.leased_at is not null or high.leased_at is not null`.execute(db)
  const { pairs, inverted } = rows[0] ?? { pairs: 0, inverted: Number.NaN }
  const share = (inverted / pairs).toFixed(3)
  return ['priority inversions', '< 0.1', share, `${inverted} of ${pairs} pairs`, showLoad()]
}
