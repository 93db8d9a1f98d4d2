import { isSuspect } from '../../../../core/fleet/node-states.ts'
import { planShares } from '../../../../core/queue/shares.ts'
import { endOutage } from '../../../../store/db/fleet/end-outage.ts'
import { limitPool } from '../../../../store/db/fleet/limit-pool.ts'
import { moveNode } from '../../../../store/db/fleet/move-node.ts'
import { readNodeRecord } from '../../../../store/db/fleet/read-node-record.ts'
import { registerNode } from '../../../../store/db/fleet/register-node.ts'
import type { TaskRequirements } from '../../../../store/db/fleet-schema.ts'
import { expireLeases } from '../../../../store/db/queue/expire-leases.ts'
import { failTask } from '../../../../store/db/queue/fail-task.ts'
import { handBackTasks } from '../../../../store/db/queue/hand-back-tasks.ts'
import { leaseSpeculative } from '../../../../store/db/queue/lease-speculative.ts'
import { listAttempts } from '../../../../store/db/queue/list-attempts.ts'
import { listWaits } from '../../../../store/db/queue/list-waits.ts'
import { measurePace } from '../../../../store/db/queue/measure-pace.ts'
import { renewLeases } from '../../../../store/db/queue/renew-leases.ts'
import { setShare } from '../../../../store/db/queue/set-share.ts'
import { takeBackDrained } from '../../../../store/db/queue/take-back-drained.ts'
import { addNode, addTask, completeTask } from '../../database.ts'
import { cancelTasksOfJob } from '../jobs/one-job.ts'
import { broken, leaseMs, startQueue } from '../queue/queue.ts'

const { db, queueTest, lease, leaseOne, newJob, addTasks } = await startQueue()
const long = new Date(Date.now() - 60_000)

queueTest('100 of 100 stale reports are refused', async (t) => {
  const job = await newJob()
  await addTasks(job, 25)
  const [frozen, other] = [await addNode(db), await addNode(db)]
  const stale = (await lease(frozen, 25)).map(({ id, attempt }) => ({ taskId: id, attempt }))
  await db
    .updateTable('attempts')
    .set({ expires_at: new Date(0) })
    .execute()
  t.is((await expireLeases(db)).length, 25)
  t.is((await lease(other, 25)).length, 25)
  let refused = 0
  for (const each of stale) {
    const attempt = { ...each, nodeId: frozen }
    const renewed = await renewLeases(db, {
      renewals: [{ nodeId: frozen, held: [{ ...each, framesDone: 5, previews: 0 }] }],
      leaseMs,
    })
    if (renewed.some((news) => 'reason' in news && news.reason === 'lost')) refused += 1
    if ((await completeTask(db, { ...attempt, result: {} })).status === 'stale') refused += 1
    if ((await failTask(db, { ...attempt, failure: broken })).status === 'stale') refused += 1
    if ((await handBackTasks(db, { nodeId: frozen, attempts: [attempt] })) === 0) refused += 1
  }
  t.is(refused, 100)
  const rows = await db.selectFrom('tasks').select(['state', 'frames_done']).execute()
  t.true(rows.every((row) => row.state === 'leased' && row.frames_done === 0))
})

/** A job whose last task is late, on a node that is not idle. */
async function lateJob(requirements: TaskRequirements = {}) {
  const job = await newJob()
  const slow = await addNode(db, { gpuMemoryMb: 1_000 })
  for (let i = 0; i < 2; i++) await addTask(db, { ...job, requirements })
  const quick = await leaseOne(slow)
  await db
    .updateTable('attempts')
    .set({ leased_at: new Date(Date.now() - 2_000) })
    .execute()
  await completeTask(db, { ...quick, result: {} })
  const late = await leaseOne(slow)
  await db
    .updateTable('attempts')
    .set({ leased_at: long, frames_done: 10 })
    .where('task_id', '=', late.taskId)
    .execute()
  return { job, late }
}

/** The same, with a second attempt on an idle node. */
async function stragglerJob() {
  const { job, late } = await lateJob()
  const idle = await addNode(db)
  const speculative = await leaseSpeculative(db, { nodeIds: [idle], leaseMs })
  if (speculative === undefined) throw new Error('There must be one straggler.')
  return {
    job,
    late,
    idle,
    speculative: { nodeId: idle, taskId: speculative.id, attempt: speculative.attempt },
  }
}

queueTest('a straggler runs twice: the first to finish wins', async (t) => {
  const { late, speculative } = await stragglerJob()
  t.is(speculative.taskId, late.taskId)
  t.is(speculative.attempt, 2)
  t.is(
    await leaseSpeculative(db, { nodeIds: [await addNode(db)], leaseMs }),
    undefined,
    'never three',
  )
  const held = [{ ...late, framesDone: 20, previews: 0 }]
  t.deepEqual(await renewLeases(db, { renewals: [{ nodeId: late.nodeId, held }], leaseMs }), [])
  t.is((await completeTask(db, { ...speculative, result: { by: 'second' } })).status, 'current')
  t.is((await completeTask(db, { ...late, result: { by: 'late' } })).status, 'stale')
  t.like(await renewLeases(db, { renewals: [{ nodeId: late.nodeId, held }], leaseMs }), [
    { reason: 'superseded' },
  ])
  const events = await db
    .selectFrom('task_words')
    .selectAll()
    .where('task_id', '=', speculative.taskId)
    .execute()
  t.is(events.length, 1)
  const outputs = { 'segment-0': `/${speculative.taskId}/2/segment-0` }
  t.true(JSON.stringify(events[0]?.outcome).includes(outputs['segment-0']))
})

queueTest('the first attempt may win as well, and its objects count', async (t) => {
  const { late, speculative } = await stragglerJob()
  t.is((await completeTask(db, { ...late, result: {} })).status, 'current')
  t.is((await completeTask(db, { ...speculative, result: {} })).status, 'stale')
  const word = await db
    .selectFrom('task_words')
    .selectAll()
    .where('task_id', '=', late.taskId)
    .executeTakeFirstOrThrow()
  t.true(JSON.stringify(word.outcome).includes(`/${late.taskId}/1/segment-0`))
})

queueTest(
  'an attempt waited since its task was queued, or the attempt before it ended',
  async (t) => {
    const job = await newJob()
    await addTasks(job, 1)
    const first = await leaseOne(await addNode(db))
    await failTask(db, { ...first, failure: broken })
    const second = await leaseOne(await addNode(db))
    const waits = (await listWaits(db, [first, second])).toSorted((a, b) => a.attempt - b.attempt)
    const task = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
    const attempts = await db.selectFrom('attempts').selectAll().orderBy('attempt').execute()
    const about = { jobId: job.jobId, taskId: task.id, name: task.name, kind: 'render' }
    t.deepEqual(
      waits as readonly unknown[],
      attempts.map(({ attempt, leased_at: leasedAt }) => {
        const since = attempt === 1 ? task.created_at : attempts[0]?.ended_at
        return { ...about, attempt, since, leasedAt }
      }),
    )
  },
)

queueTest('a straggler’s second attempt did not wait', async (t) => {
  const { late, speculative } = await stragglerJob()
  const waits = await listWaits(db, [late, speculative])
  t.deepEqual(
    waits.map(({ attempt }) => attempt),
    [late.attempt],
  )
})

queueTest(
  'a speculative attempt that fails or is handed back leaves the task to the other',
  async (t) => {
    const { late, speculative } = await stragglerJob()
    await failTask(db, { ...speculative, failure: broken })
    const state = async () =>
      (
        await db
          .selectFrom('tasks')
          .select('state')
          .where('id', '=', late.taskId)
          .executeTakeFirstOrThrow()
      ).state
    t.is(await state(), 'leased')
    await handBackTasks(db, { nodeId: late.nodeId, attempts: [late] })
    t.is(await state(), 'queued')
  },
)

queueTest('a task that keeps pace with its siblings is not run twice', async (t) => {
  const { late } = await stragglerJob()
  await db
    .updateTable('attempts')
    .set({ frames_done: 97 })
    .where('task_id', '=', late.taskId)
    .execute()
  await db.deleteFrom('attempts').where('attempt', '=', 2).execute()
  t.is(await leaseSpeculative(db, { nodeIds: [await addNode(db)], leaseMs }), undefined)
})

queueTest('a straggler is judged by its last report, not its silence', async (t) => {
  const { late } = await lateJob()
  const idle = await addNode(db)
  const told = async (frames: number, { leasedAgo, ago }: { leasedAgo: number; ago: number }) => {
    await db
      .updateTable('attempts')
      .set({
        leased_at: new Date(Date.now() - leasedAgo * 1_000),
        expires_at: new Date(Date.now() - ago * 1_000 + leaseMs),
        frames_done: frames,
      })
      .where('task_id', '=', late.taskId)
      .execute()
    return await leaseSpeculative(db, { nodeIds: [idle], leaseMs })
  }
  t.is(await told(0, { leasedAgo: 5, ago: 5 }), undefined, 'nothing yet')
  t.is(await told(60, { leasedAgo: 9.5, ago: 4.9 }), undefined, 'two thirds, half its time ago')
  t.is((await told(10, { leasedAgo: 9.5, ago: 4.9 }))?.id, late.taskId, 'a tenth')
})

queueTest('a second attempt passes no limit of its farm, pool, account or job', async (t) => {
  const { job, late } = await lateJob()
  const idle = await addNode(db)
  const speculative = () => leaseSpeculative(db, { nodeIds: [idle], leaseMs })
  await limitPool(db, { pool: null, slots: 1 })
  t.is(await speculative(), undefined, 'the farm runs one')
  await limitPool(db, { pool: null, slots: null })
  await limitPool(db, { pool: '', slots: 1 })
  t.is(await speculative(), undefined, 'the pool runs one')
  await limitPool(db, { pool: '', slots: null })
  await setShare(db, { accountId: job.accountId, slotsBurst: 1 })
  t.is(await speculative(), undefined, 'the account runs one')
  await setShare(db, { accountId: job.accountId, slotsBurst: null })
  await addTask(db, job)
  const other = await leaseOne(idle)
  const row = await db
    .selectFrom('attempts')
    .selectAll()
    .where('task_id', '=', other.taskId)
    .executeTakeFirstOrThrow()
  const more = Array.from({ length: planShares.free.jobSlots - 2 }, (_, n) => ({
    ...row,
    attempt: 2 + n,
    error: null,
  }))
  await db.insertInto('attempts').values(more).execute()
  t.is(await speculative(), undefined, 'the job runs all that it may')
  await db.deleteFrom('attempts').where('attempt', '=', 2).execute()
  t.is((await speculative())?.id, late.taskId, 'there is room for one')
})

queueTest('a second attempt goes only to a node that has room for it', async (t) => {
  const sizes = { memoryMb: 600, gpuMemoryMb: 600, encoderSessions: 1 }
  const { late } = await lateJob(sizes)
  const offers = [{ memoryMb: 1_000 }, { gpuMemoryMb: 1_000 }, { encoderSessions: 1 }]
  for (const offer of offers) {
    const node = await addNode(db, { gpuMemoryMb: 9_000, ...offer })
    await addTask(db, { ...(await newJob()), requirements: sizes })
    t.is((await lease(node)).length, 1)
    t.is(await leaseSpeculative(db, { nodeIds: [node], leaseMs }), undefined, JSON.stringify(offer))
  }
  const room = await addNode(db, { gpuMemoryMb: 1_000, memoryMb: 1_000, encoderSessions: 1 })
  t.is((await leaseSpeculative(db, { nodeIds: [room], leaseMs }))?.id, late.taskId)
})

queueTest('a cancelled job ends both attempts', async (t) => {
  const { job, speculative, late } = await stragglerJob()
  await cancelTasksOfJob(db, job)
  const attempts = await listAttempts(db, { of: 'task', id: speculative.taskId, limit: 9 })
  t.deepEqual(
    attempts.map(({ state }) => state),
    ['cancelled', 'cancelled'],
  )
  t.is((await completeTask(db, { ...late, result: {} })).status, 'stale')
})

queueTest('a node that fails where others succeed stands out', async (t) => {
  const job = await newJob()
  const [bad, good] = [await addNode(db), await addNode(db)]
  for (let i = 0; i < 3; i++) {
    await addTask(db, job)
    await failTask(db, { ...(await leaseOne(bad)), failure: broken })
    await completeTask(db, { ...(await leaseOne(good)), result: {} })
  }
  t.deepEqual(await readNodeRecord(db, bad), { blamed: 3, succeeded: 0 })
  t.deepEqual(await readNodeRecord(db, good), { blamed: 0, succeeded: 3 })
  for (let i = 0; i < 3; i++) await addTask(db, job)
  for (const task of await lease(good, 3)) {
    const attempt = { nodeId: good, taskId: task.id, attempt: task.attempt }
    await failTask(db, { ...attempt, failure: broken })
  }
  await moveNode(db, { nodeId: bad, act: 'cordon', reason: 'a test' })
  for (const task of await lease(good, 3)) {
    await completeTask(db, { nodeId: good, taskId: task.id, attempt: task.attempt, result: {} })
  }
  t.deepEqual(await readNodeRecord(db, good), { blamed: 0, succeeded: 6 }, 'it did them itself')
  t.true(isSuspect({ blamed: 3, succeeded: 0 }))
  t.false(isSuspect({ blamed: 2, succeeded: 0 }))
  t.false(isSuspect({ blamed: 3, succeeded: 50 }))
})

queueTest(
  'a node that is not active gets nothing, and a restart does not change that',
  async (t) => {
    const job = await newJob()
    await addTasks(job, 1)
    const node = await addNode(db)
    for (const act of ['cordon', 'drain'] as const) {
      t.true(await moveNode(db, { nodeId: node, act, reason: 'test' }))
      const { offer } = await db.selectFrom('nodes').select('offer').executeTakeFirstOrThrow()
      await registerNode(db, { id: node, name: 'n', version: '1', offer })
      t.deepEqual(await lease(node), [])
    }
    t.false(await moveNode(db, { nodeId: node, act: 'release', reason: 'not quarantined' }))
    t.true(await moveNode(db, { nodeId: node, act: 'uncordon', reason: 'test' }))
    t.is((await lease(node)).length, 1)
    for (const act of ['cordon', 'drain'] as const) {
      await moveNode(db, { nodeId: node, act: 'uncordon', reason: 'test' })
      await moveNode(db, { nodeId: node, act: 'quarantine', reason: 'test' })
      t.true(await moveNode(db, { nodeId: node, act, reason: 'no canary may bring it back' }))
    }
  },
)

queueTest('tasks still on a draining node are requeued after the grace', async (t) => {
  const job = await newJob()
  await addTasks(job, 1)
  const node = await addNode(db)
  await leaseOne(node)
  await moveNode(db, { nodeId: node, act: 'drain', reason: 'test' })
  t.is(await takeBackDrained(db, { graceMs: 60_000 }), 0)
  t.is(await takeBackDrained(db, { graceMs: -1 }), 1)
  const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
  t.like(row, { state: 'queued', failed_nodes: [] })
})

queueTest('after an outage of all schedulers leases get their time again', async (t) => {
  await db
    .updateTable('farm_clock')
    .set({ swept_at: new Date(), lenient_until: new Date(0) })
    .execute()
  t.true(await endOutage(db, { leaseMs }))
  await db.updateTable('farm_clock').set({ swept_at: long }).execute()
  t.false(await endOutage(db, { leaseMs }))
  t.false(await endOutage(db, { leaseMs }))
  await db
    .updateTable('farm_clock')
    .set({ lenient_until: new Date(0) })
    .execute()
  t.true(await endOutage(db, { leaseMs }))
})

queueTest('the pace of a kind of work is measured of what was done last', async (t) => {
  const job = await newJob()
  const work = { encoder: 'libx264', canvas: 'napi', device: 'CPU' }
  const node = await addNode(db)
  t.deepEqual(await measurePace(db, work), { costPerSecond: null, running: 0 })
  await addTask(db, { ...job, requirements: work, cost: 300 })
  await addTask(db, { ...job, requirements: work, cost: 300 })
  const held = await leaseOne(node)
  await lease(node)
  await completeTask(db, { ...held, result: {} })
  await db
    .updateTable('attempts')
    .set({ leased_at: long, ended_at: new Date(long.getTime() + 3_000) })
    .where('state', '=', 'completed')
    .execute()
  t.deepEqual(await measurePace(db, work), { costPerSecond: 100, running: 1 })
})
