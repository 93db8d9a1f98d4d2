import test from 'ava'
import { Registry } from 'prom-client'
import { PoolLabels } from '../../../runtime/metrics.ts'
import { addFleetMetrics } from '../../../scheduler/fleet/fleet-metrics.ts'
import { type Db, openDatabase } from '../../../store/db/database.ts'
import { moveNode } from '../../../store/db/fleet/move-node.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import {
  addAccount,
  addJob,
  addNode,
  addTask,
  completeTask,
  silent,
  startDatabase,
} from '../../store/database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
test.afterEach.always(async () => {
  await db.deleteFrom('tasks').execute()
  await db.deleteFrom('nodes').execute()
})

/** Opens one scheduler's view; each call is a scrape: `name{labels}` and value. */
function watch(from: Db = db): () => Promise<ReadonlyMap<string, number>> {
  const registry = new Registry()
  addFleetMetrics(registry, { db: from, log: silent, pools: new PoolLabels() })
  return async () => {
    const lines = (await registry.metrics()).split('\n').filter((line) => /^farm_/.test(line))
    const pairs = lines.map((line) => line.split(/ (?=\S+$)/))
    return new Map(pairs.map(([name = '', value]) => [name, Number(value)]))
  }
}

const scrape = () => watch()()

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

test.serial('the queue is counted by pool and kind, with unmatched tasks', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  await addNode(db, { kinds: ['render'], slots: 8, pool: 'gpu', encoderSessions: 3 })
  await addTask(db, { accountId, jobId })
  await addTask(db, { accountId, jobId })
  await addTask(db, { accountId, jobId, requirements: { pool: 'vip' } })
  const old = await addTask(db, { accountId, jobId, kind: 'bake' })
  t.true(old.live)
  await db
    .updateTable('tasks')
    .set({ created_at: ago(500) } as never)
    .where('kind', '=', 'bake')
    .execute()

  const seen = await scrape()
  t.is(seen.get('farm_queue_tasks{pool="any",kind="render"}'), 2)
  t.is(seen.get('farm_queue_tasks{pool="vip",kind="render"}'), 1)
  t.is(seen.get('farm_queue_tasks{pool="gpu",kind="render"}'), 0)
  t.is(seen.get('farm_queue_unmatched_tasks{pool="any",kind="render"}'), 0)
  t.is(seen.get('farm_queue_unmatched_tasks{pool="vip",kind="render"}'), 1)
  t.is(seen.get('farm_queue_unmatched_tasks{pool="any",kind="bake"}'), 1)
  const oldest = seen.get('farm_queue_oldest_seconds{pool="any",kind="bake"}') ?? 0
  t.true(oldest > 490 && oldest < 600, `${oldest}`)
  t.is(seen.get('farm_jobs_open{state="queued"}'), 1)
  t.is(seen.get('farm_jobs_open{state="rendering"}'), 0)
  t.is(seen.get('farm_slots{pool="gpu"}'), 8)
  t.is(seen.get('farm_encoder_sessions_offered{pool="gpu"}'), 3)
})

test.serial('a running task counts for its node’s pool, not for the queue', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const nodeId = await addNode(db, { encoderSessions: 2 })
  const requirements = { encoderSessions: 1 }
  for (let i = 0; i < 3; i += 1) await addTask(db, { accountId, jobId, requirements })
  const leased = await leaseTasks(db, {
    wants: [{ nodeId, slots: 8 }],
    leaseMs: 15_000,
    nodeLiveMs: 30_000,
  })
  t.is(leased.length, 2)
  const seen = await scrape()
  t.is(seen.get('farm_leases_running{pool="default",kind="render"}'), 2)
  t.is(seen.get('farm_encoder_sessions_used{pool="default"}'), 2)
  t.is(seen.get('farm_queue_tasks{pool="any",kind="render"}'), 1)
})

test.serial('nodes are counted by pool and state, silent ones apart', async (t) => {
  await addNode(db, { pool: 'a' })
  const silentNode = await addNode(db, { pool: 'a' })
  const paused = await addNode(db, { pool: 'a' })
  const bad = await addNode(db, { pool: 'b' })
  const gone = await addNode(db, { pool: 'c' })
  const update = (id: string, set: object) =>
    db.updateTable('nodes').set(set).where('id', '=', id).execute()
  await update(silentNode, { last_seen_at: ago(120) })
  await update(paused, { pause: 'its disk is full' })
  await update(gone, { last_seen_at: ago(7_200) })
  await moveNode(db, { nodeId: bad, act: 'quarantine', reason: 'a test' })
  const seen = await scrape()
  const nodes = [...seen].filter(([name, value]) => name.startsWith('farm_nodes{') && value > 0)
  t.deepEqual(nodes.sort(), [
    ['farm_nodes{pool="a",state="active"}', 1],
    ['farm_nodes{pool="a",state="paused"}', 1],
    ['farm_nodes{pool="a",state="silent"}', 1],
    ['farm_nodes{pool="b",state="quarantined"}', 1],
  ])
  t.is(seen.get('farm_nodes{pool="b",state="silent"}'), 0)
})

test.serial('a leaving node is not counted once it no longer speaks', async (t) => {
  const [left, ending] = [await addNode(db, { pool: 'l' }), await addNode(db, { pool: 'l' })]
  for (const nodeId of [left, ending]) {
    await moveNode(db, { nodeId, act: 'leave', reason: 'its process is being stopped' })
  }
  await db
    .updateTable('nodes')
    .set({ last_seen_at: ago(60) })
    .where('id', '=', left)
    .execute()
  t.is((await scrape()).get('farm_nodes{pool="l",state="leaving"}'), 1)
})

test.serial('fairness is of accounts that waited the whole minute, by their weight', async (t) => {
  const nodeId = await addNode(db, { slots: 64 })
  const accounts = [await addAccount(db), await addAccount(db), await addAccount(db)]
  const [first = '', second = '', newcomer = ''] = accounts
  await db.updateTable('accounts').set({ weight: 3 }).where('id', '=', second).execute()
  const serve = async (accountId: string, cost: number) => {
    const task = await addTask(db, { accountId, jobId: await addJob(db, accountId), cost })
    const [leased] = await leaseTasks(db, {
      wants: [{ nodeId, slots: 1 }],
      leaseMs: 15_000,
      nodeLiveMs: 30_000,
    })
    t.is(leased?.id, task.live ? task.taskId : '')
    const attempt = { nodeId, taskId: leased?.id ?? '', attempt: 1 }
    t.is((await completeTask(db, { ...attempt, result: {} })).status, 'current')
  }
  await serve(first, 100)
  await serve(second, 300)
  for (const accountId of accounts)
    await addTask(db, { accountId, jobId: await addJob(db, accountId) })
  await db
    .updateTable('tasks')
    .set({ created_at: ago(90) } as never)
    .where('account_id', 'in', [first, second])
    .where('state', '=', 'queued')
    .execute()

  const even = await scrape()
  t.is(even.get('farm_fairness_accounts'), 2, 'the newcomer waits less than a minute')
  t.is(even.get('farm_fairness_jain_index'), 1)

  await db
    .updateTable('tasks')
    .set({ created_at: ago(90) } as never)
    .where('account_id', '=', newcomer)
    .execute()
  const uneven = await scrape()
  t.is(uneven.get('farm_fairness_accounts'), 3)
  t.is(uneven.get('farm_fairness_jain_index')?.toFixed(3), (2 / 3).toFixed(3))
})

test.serial('fairness counts the weights of the priorities that wait', async (t) => {
  const nodeId = await addNode(db, { slots: 64 })
  const [plain, urgent] = [await addAccount(db), await addAccount(db)]
  const jobs = {
    plain: { accountId: plain, jobId: await addJob(db, plain) },
    urgent: { accountId: urgent, jobId: await addJob(db, urgent) },
    usual: { accountId: urgent, jobId: await addJob(db, urgent) },
  }
  await db
    .updateTable('jobs')
    .set({ priority: 'high' })
    .where('id', '=', jobs.urgent.jobId)
    .execute()
  const serve = async (job: keyof typeof jobs, cost: number) => {
    await addTask(db, { ...jobs[job], cost })
    const wants = [{ nodeId, slots: 1 }]
    const [leased] = await leaseTasks(db, { wants, leaseMs: 15_000, nodeLiveMs: 30_000 })
    const attempt = { nodeId, taskId: leased?.id ?? '', attempt: 1 }
    t.is((await completeTask(db, { ...attempt, result: {} })).status, 'current')
  }
  const keepWaiting = async (job: keyof typeof jobs) => {
    await addTask(db, jobs[job])
    await db
      .updateTable('tasks')
      .set({ created_at: ago(90) } as never)
      .where('state', '=', 'queued')
      .execute()
  }
  await serve('plain', 100)
  await serve('urgent', 400)
  for (const job of ['plain', 'urgent'] as const) await keepWaiting(job)
  t.is((await scrape()).get('farm_fairness_jain_index'), 1, 'four times as much by its priority')

  await serve('usual', 300)
  t.is((await scrape()).get('farm_fairness_jain_index'), 1, 'no work of that priority waits')

  await keepWaiting('usual')
  const both = await scrape()
  t.is(both.get('farm_fairness_accounts'), 2)
  const shares = [100, 700 / 5]
  const squares = shares.reduce((sum, share) => sum + share ** 2, 0)
  const expected = (100 + 700 / 5) ** 2 / (2 * squares)
  t.is(both.get('farm_fairness_jain_index')?.toFixed(6), expected.toFixed(6))
})

test.serial('without archived WAL its metrics are absent', async (t) => {
  const names = [...(await scrape()).keys()]
  t.true(names.includes('farm_doomed_objects'))
  t.false(names.some((name) => name.startsWith('farm_wal_')))
})

test.serial('while Postgres is away there are no figures, and that is counted', async (t) => {
  const away = openDatabase({ url: 'postgres://127.0.0.1:1/none', log: silent })
  t.teardown(() => away.destroy())
  const scrapeAway = watch(away)
  t.deepEqual([...(await scrapeAway()).keys()], ['farm_fleet_figures_failures_total'])
  t.deepEqual([...(await scrapeAway())], [['farm_fleet_figures_failures_total', 1]])
})
