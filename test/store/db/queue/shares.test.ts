import { planShares } from '../../../../core/queue/shares.ts'
import { limitPool } from '../../../../store/db/fleet/limit-pool.ts'
import { handBackTasks } from '../../../../store/db/queue/hand-back-tasks.ts'
import { listShares } from '../../../../store/db/queue/list-shares.ts'
import { setPriority } from '../../../../store/db/queue/set-priority.ts'
import { setShare } from '../../../../store/db/queue/set-share.ts'
import { addJob, addNode, addTask, completeTask } from '../../database.ts'
import { startQueue } from './queue.ts'

const { db, queueTest, lease, leaseOne, newJob, addTasks } = await startQueue()

queueTest('a late account does not wait behind the many tasks of another', async (t) => {
  const crowd = await newJob()
  const late = await newJob()
  for (let i = 0; i < 20; i++) await addTask(db, { ...crowd, name: `crowd-${i}` })
  const node = await addNode(db)
  t.is((await lease(node, 5)).length, 5)
  await addTask(db, { ...late, name: 'late' })
  const next = await lease(node, 2)
  t.true(next.some(({ accountId }) => accountId === late.accountId))
})

queueTest('an account of double weight gets two tasks for each of the other', async (t) => {
  const one = await newJob()
  const two = await newJob()
  await db.updateTable('accounts').set({ weight: 2 }).where('id', '=', two.accountId).execute()
  for (let i = 0; i < 12; i++) {
    await addTask(db, one)
    await addTask(db, two)
  }
  const leased = await lease(await addNode(db), 12)
  t.is(leased.filter(({ accountId }) => accountId === two.accountId).length, 8)
})

queueTest('concurrent tasks of an account’s jobs get consecutive tags', async (t) => {
  const { accountId } = await newJob()
  const jobIds = await Promise.all(Array.from({ length: 20 }, () => addJob(db, accountId)))
  await Promise.all(jobIds.map((jobId) => addTask(db, { accountId, jobId })))
  const rows = await db.selectFrom('tasks').select('virtual_start').execute()
  const starts = rows.map(({ virtual_start }) => virtual_start).sort((a, b) => a - b)
  t.deepEqual(
    starts.map((start) => start - (starts[0] ?? 0)),
    starts.map((_, index) => index),
  )
})

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

queueTest('tasks of a part of a slot share one', async (t) => {
  const job = await newJob()
  const requirements = { slots: 0.25 }
  for (let i = 0; i < 9; i++) await addTask(db, { ...job, requirements })
  await addTasks(job, 1)
  const small = await lease(await addNode(db), 2)
  t.deepEqual(
    small.map(({ slots }) => slots),
    Array(8).fill(0.25),
  )
  const mixed = await lease(await addNode(db), 1)
  t.deepEqual(
    mixed.map(({ slots }) => slots),
    [0.25],
    'beside a quarter the whole one must wait for another slot',
  )
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

queueTest('a node is preferred for cached media, by one task at most', async (t) => {
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
})

queueTest('a share that was set can be seen, and given back to the plan', async (t) => {
  const { accountId } = await newJob()
  const { guaranteed, burst } = planShares.free
  const ofPlan = { id: accountId, plan: 'free', weight: 1, guaranteed, burst, pool: null }
  const shown = async () => (await listShares(db)).filter(({ id }) => id === accountId)
  t.deepEqual(await shown(), [])
  t.like((await listShares(db, { accountId }))[0], ofPlan)
  await setShare(db, { accountId, slotsBurst: 3, slotsGuaranteed: 0, weight: 2, pool: 'vip' })
  t.like((await shown())[0], { ...ofPlan, burst: 3, weight: 2, pool: 'vip' })
  const taken = { slotsBurst: null, slotsGuaranteed: null, weight: 1, pool: null }
  await setShare(db, { accountId, ...taken })
  t.deepEqual(await shown(), [])
})
