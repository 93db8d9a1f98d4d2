import test from 'ava'
import { isSuspect } from '../../core/node-states.ts'
import { cancelTasksOfJob } from '../../store/db/statements/cancel-tasks-of-job.ts'
import { completeTask } from '../../store/db/statements/complete-task.ts'
import { endOutage } from '../../store/db/statements/end-outage.ts'
import { expireLeases } from '../../store/db/statements/expire-leases.ts'
import { failTask } from '../../store/db/statements/fail-task.ts'
import { handBackTasks } from '../../store/db/statements/hand-back-tasks.ts'
import { leaseTasks } from '../../store/db/statements/lease-tasks.ts'
import { leaseTwin } from '../../store/db/statements/lease-twin.ts'
import { limitPool } from '../../store/db/statements/limit-pool.ts'
import { listAttempts } from '../../store/db/statements/list-attempts.ts'
import { measurePace } from '../../store/db/statements/measure-pace.ts'
import { moveNode } from '../../store/db/statements/move-node.ts'
import { readNodeRecord } from '../../store/db/statements/read-node-record.ts'
import { readWaiting } from '../../store/db/statements/read-waiting.ts'
import { registerNode } from '../../store/db/statements/register-node.ts'
import { renewLeases } from '../../store/db/statements/renew-leases.ts'
import { setPriority } from '../../store/db/statements/set-priority.ts'
import { setShare } from '../../store/db/statements/set-share.ts'
import { takeBackDrained } from '../../store/db/statements/take-back-drained.ts'
import { addAccount, addJob, addNode, addTask, startDatabase } from './database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

// The queue is the farm's, not a test's: one test at a time looks into it.
const queueTest = test.serial
queueTest.afterEach.always(async () => {
  await db.deleteFrom('tasks').execute()
  await db.deleteFrom('nodes').execute()
  await db.deleteFrom('pools').execute()
  await db.updateTable('farm_clock').set({ slots_max: null }).execute()
})

const leaseMs = 15_000
const broken = { code: 'internal', message: 'It broke.', logTail: 'tail' } as const
const long = new Date(Date.now() - 60_000)

const lease = (nodeId: string, limit = 1) =>
  leaseTasks(db, { nodeId, limit, leaseMs, nodeLiveMs: 30_000 })

async function newJob() {
  const accountId = await addAccount(db)
  return { accountId, jobId: await addJob(db, accountId) }
}

async function addTasks(job: Awaited<ReturnType<typeof newJob>>, count: number, cost = 1) {
  for (let i = 0; i < count; i++) await addTask(db, { ...job, cost })
}

async function leaseOne(nodeId: string) {
  const [task] = await lease(nodeId)
  if (task === undefined) throw new Error('There must be a task to lease.')
  return { nodeId, taskId: task.id, attempt: task.attempt }
}

queueTest('an account never runs more than its burst, whatever else is free', async (t) => {
  const [one, two] = [await newJob(), await newJob()]
  await setShare(db, { accountId: one.accountId, slotsBurst: 2 })
  await addTasks(one, 5)
  await addTasks(two, 5)
  const node = await addNode(db)
  const leased = await lease(node, 10)
  t.is(leased.filter(({ accountId }) => accountId === one.accountId).length, 2)
  t.is(leased.filter(({ accountId }) => accountId === two.accountId).length, 5)
  t.deepEqual(await lease(node, 10), [])
})

queueTest('guaranteed slots come before anybody gets more than theirs', async (t) => {
  const [early, contract] = [await newJob(), await newJob()]
  await addTasks(early, 4)
  await setShare(db, { accountId: contract.accountId, slotsGuaranteed: 2, weight: 0.1 })
  await addTasks(contract, 4, 10)
  const node = await addNode(db)
  const order = (await lease(node, 3)).map(({ accountId }) => accountId === contract.accountId)
  t.is(order.filter(Boolean).length, 2)
})

queueTest('a pool and the farm run no more than their limits', async (t) => {
  const job = await newJob()
  await addTasks(job, 9)
  const [spot, other] = [await addNode(db, { pool: 'spot' }), await addNode(db)]
  await limitPool(db, { pool: 'spot', slots: 2 })
  await limitPool(db, { pool: null, slots: 5 })
  t.is((await lease(spot, 9)).length, 2)
  t.is((await lease(other, 9)).length, 3)
  await limitPool(db, { pool: 'spot', slots: null })
  await limitPool(db, { pool: null, slots: null })
  t.is((await lease(spot, 9)).length, 4)
})

queueTest('tenants of equal weight get equal work, whatever the order they came in', async (t) => {
  const jobs = await Promise.all(Array.from({ length: 6 }, newJob))
  for (const [i, job] of jobs.entries()) await addTasks(job, 4 + 3 * i)
  const nodes = [await addNode(db), await addNode(db), await addNode(db)]
  const got = new Map<string, number>()
  for (let round = 0; round < 8; round++) {
    for (const task of await lease(nodes[round % 3] ?? '', 3)) {
      got.set(task.accountId, (got.get(task.accountId) ?? 0) + 1)
    }
  }
  const shares = jobs.map(({ accountId }) => got.get(accountId) ?? 0)
  const sum = shares.reduce((all, each) => all + each, 0)
  const squares = shares.reduce((all, each) => all + each ** 2, 0)
  t.is(sum, 24)
  t.true(sum ** 2 / (shares.length * squares) >= 0.95, `Jain's index of ${shares.join(', ')}`)
})

queueTest('an account bound to a pool and to tags runs only there', async (t) => {
  const job = await newJob()
  await setShare(db, { accountId: job.accountId, pool: 'vip', tags: ['ssd'] })
  await addTasks(job, 2)
  t.deepEqual(await lease(await addNode(db), 2), [])
  t.deepEqual(await lease(await addNode(db, { pool: 'vip' }), 2), [])
  t.is((await lease(await addNode(db, { pool: 'vip', tags: ['ssd', 'x'] }), 2)).length, 2)
})

queueTest(
  'a node takes no more than its memory, GPU memory and encoder sessions hold',
  async (t) => {
    const job = await newJob()
    const sizes = { memoryMb: 400, gpuMemoryMb: 1000, encoderSessions: 1 }
    for (let i = 0; i < 9; i++) await addTask(db, { ...job, requirements: sizes })
    const roomy = { memoryMb: 9000, gpuMemoryMb: 9000, encoderSessions: 9 }
    const count = async (offer: object) =>
      (await lease(await addNode(db, { ...roomy, ...offer }), 9)).length
    t.is(await count({ memoryMb: 1000 }), 2)
    t.is(await count({ gpuMemoryMb: 1999 }), 1)
    t.is(await count({ gpuMemoryMb: 0 }), 0)
    const three = await addNode(db, { ...roomy, encoderSessions: 3 })
    t.is((await lease(three, 2)).length, 2)
    t.is((await lease(three, 2)).length, 1)
    t.is((await lease(three, 2)).length, 0)
  },
)

queueTest('a job made urgent does not wait behind what its account queued before', async (t) => {
  const job = await newJob()
  await addTasks(job, 20)
  const urgent = { ...job, jobId: await addJob(db, job.accountId) }
  await addTasks(urgent, 3)
  await db.transaction().execute((tx) => setPriority(tx, { jobId: urgent.jobId, priority: 'high' }))
  const first = await lease(await addNode(db), 4)
  t.is(first.filter(({ jobId }) => jobId === urgent.jobId).length, 3)
})

queueTest('low priority is a smaller share and never none', async (t) => {
  const job = await newJob()
  const low = { ...job, jobId: await addJob(db, job.accountId) }
  await db.transaction().execute((tx) => setPriority(tx, { jobId: low.jobId, priority: 'low' }))
  await addTasks(low, 10)
  await addTasks(job, 40)
  const first = await lease(await addNode(db), 20)
  t.is(first.filter(({ jobId }) => jobId === low.jobId).length, 4)
})

queueTest(
  'a node is preferred for what it has the media of, by one task and no more',
  async (t) => {
    const [near, far] = [await newJob(), await newJob()]
    const media = 'a'.repeat(64)
    const inputs = [{ name: media, key: 'accounts/a/media' }]
    const node = await addNode(db)
    await addTask(db, { ...near, inputs })
    await completeTask(db, { ...(await leaseOne(node)), result: {} })
    await db.deleteFrom('tasks').execute()
    await addTasks(far, 6)
    const other = { ...near, jobId: await addJob(db, near.accountId) }
    for (let i = 0; i < 6; i++) await addTask(db, { ...other, inputs })
    const own = (leased: readonly { jobId: string }[]) =>
      leased.filter(({ jobId }) => jobId === other.jobId).length
    const stranger = await addNode(db)
    const taken = await lease(stranger, 2)
    t.is(own(taken), 0, 'by their tags the first two are of the other account')
    const attempts = taken.map(({ id, attempt }) => ({ taskId: id, attempt }))
    await handBackTasks(db, { nodeId: stranger, attempts })
    t.is(own(await lease(node, 2)), 1, 'its tag is later by one task')
  },
)

queueTest('100 of 100 stale words are refused', async (t) => {
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
      nodeId: frozen,
      held: [{ ...each, framesDone: 5, previews: 0 }],
      leaseMs,
    })
    if (renewed[0]?.reason === 'lost') refused += 1
    if ((await completeTask(db, { ...attempt, result: {} })).standing === 'stale') refused += 1
    if ((await failTask(db, { ...attempt, failure: broken })).standing === 'stale') refused += 1
    if ((await handBackTasks(db, { nodeId: frozen, attempts: [attempt] })) === 0) refused += 1
  }
  t.is(refused, 100)
  const rows = await db.selectFrom('tasks').select(['state', 'frames_done']).execute()
  t.true(rows.every((row) => row.state === 'leased' && row.frames_done === 0))
})

/** A job whose one task is left and late, and an idle node beside its own. */
async function stragglerJob() {
  const job = await newJob()
  const [slow, idle] = [await addNode(db), await addNode(db)]
  await addTasks(job, 2)
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
  const [twin, ...more] = await leaseTwin(db, { nodeId: idle, leaseMs })
  if (twin === undefined || more.length > 0) throw new Error('There must be one straggler.')
  return { job, late, idle, twin: { nodeId: idle, taskId: twin.id, attempt: twin.attempt } }
}

queueTest(
  'a straggler runs twice, the first to finish wins and the other is told to stop',
  async (t) => {
    const { late, twin } = await stragglerJob()
    t.is(twin.taskId, late.taskId)
    t.is(twin.attempt, 2)
    t.deepEqual(await leaseTwin(db, { nodeId: await addNode(db), leaseMs }), [], 'never three')
    const held = [{ ...late, framesDone: 20, previews: 0 }]
    t.deepEqual(await renewLeases(db, { nodeId: late.nodeId, held, leaseMs }), [])
    t.is((await completeTask(db, { ...twin, result: { by: 'twin' } })).standing, 'current')
    t.is((await completeTask(db, { ...late, result: { by: 'late' } })).standing, 'stale')
    t.like(await renewLeases(db, { nodeId: late.nodeId, held, leaseMs }), [
      { reason: 'superseded' },
    ])
    const words = await db
      .selectFrom('task_words')
      .selectAll()
      .where('task_id', '=', twin.taskId)
      .execute()
    t.is(words.length, 1)
    const outputs = { 'segment-0': `/${twin.taskId}/2/segment-0` }
    t.true(JSON.stringify(words[0]?.outcome).includes(outputs['segment-0']))
  },
)

queueTest('the first attempt may win as well, and its objects count', async (t) => {
  const { late, twin } = await stragglerJob()
  t.is((await completeTask(db, { ...late, result: {} })).standing, 'current')
  t.is((await completeTask(db, { ...twin, result: {} })).standing, 'stale')
  const word = await db
    .selectFrom('task_words')
    .selectAll()
    .where('task_id', '=', late.taskId)
    .executeTakeFirstOrThrow()
  t.true(JSON.stringify(word.outcome).includes(`/${late.taskId}/1/segment-0`))
})

queueTest('a twin that fails or is handed back leaves the task to the other', async (t) => {
  const { late, twin } = await stragglerJob()
  await failTask(db, { ...twin, failure: broken })
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
})

queueTest('a task that keeps pace with its siblings is not run twice', async (t) => {
  const { late } = await stragglerJob()
  await db
    .updateTable('attempts')
    .set({ frames_done: 97 })
    .where('task_id', '=', late.taskId)
    .execute()
  await db.deleteFrom('attempts').where('attempt', '=', 2).execute()
  t.deepEqual(await leaseTwin(db, { nodeId: await addNode(db), leaseMs }), [])
})

queueTest('a cancelled job ends both attempts', async (t) => {
  const { job, twin, late } = await stragglerJob()
  await cancelTasksOfJob(db, job)
  const attempts = await listAttempts(db, { of: 'task', id: twin.taskId, limit: 9 })
  t.deepEqual(
    attempts.map(({ state }) => state),
    ['cancelled', 'cancelled'],
  )
  t.is((await completeTask(db, { ...late, result: {} })).standing, 'stale')
})

queueTest(
  'who fails what others can do stands out, who shares the failures does not',
  async (t) => {
    const job = await newJob()
    const [bad, good] = [await addNode(db), await addNode(db)]
    for (let i = 0; i < 3; i++) {
      await addTask(db, job)
      await failTask(db, { ...(await leaseOne(bad)), failure: broken })
      await completeTask(db, { ...(await leaseOne(good)), result: {} })
    }
    t.deepEqual(await readNodeRecord(db, bad), { blamed: 3, succeeded: 0 })
    t.deepEqual(await readNodeRecord(db, good), { blamed: 0, succeeded: 3 })
    t.true(isSuspect({ blamed: 3, succeeded: 0 }))
    t.false(isSuspect({ blamed: 2, succeeded: 0 }))
    t.false(isSuspect({ blamed: 3, succeeded: 50 }))
  },
)

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
  },
)

queueTest(
  'what a draining node still runs after the grace is queued again, without blame',
  async (t) => {
    const job = await newJob()
    await addTasks(job, 1)
    const node = await addNode(db)
    await leaseOne(node)
    await moveNode(db, { nodeId: node, act: 'drain', reason: 'test' })
    t.is(await takeBackDrained(db, { graceMs: 60_000 }), 0)
    t.is(await takeBackDrained(db, { graceMs: -1 }), 1)
    const row = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow()
    t.like(row, { state: 'queued', failed_nodes: [] })
  },
)

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

queueTest('a job is told what it waits for', async (t) => {
  const job = await newJob()
  await addTask(db, {
    ...job,
    requirements: { encoder: 'h264_nvenc', canvas: 'skia', device: 'GPU A' },
  })
  t.is((await readWaiting(db, job.jobId))?.reason, 'no_machine')
  const node = await addNode(db, { device: 'GPU A' })
  const missing = await readWaiting(db, job.jobId)
  t.like(missing, { reason: 'missing_capability' })
  t.deepEqual([...(missing?.missing ?? [])].sort(), ['canvas skia', 'encoder h264_nvenc'])
  t.regex(missing?.message ?? '', /None of the 1 machines.*encoder h264_nvenc/)

  const [first, second] = [await newJob(), await newJob()]
  await addTasks(first, 9)
  await addTasks(second, 1)
  t.is(await readWaiting(db, (await newJob()).jobId), null, 'nothing in the queue')
  const turn = await readWaiting(db, second.jobId)
  t.like(turn, { reason: 'turn', ahead: 0, startsIn: 0 })
  t.is(turn?.share, 1 / 3)
  await lease(node, 8)
  t.is(await readWaiting(db, first.jobId), null, 'it runs')
  await setShare(db, { accountId: first.accountId, slotsBurst: 1 })
  const next = { ...first, jobId: await addJob(db, first.accountId) }
  await addTasks(next, 1)
  t.is((await readWaiting(db, next.jobId))?.reason, 'account_limit')
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
