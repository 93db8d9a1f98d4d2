import { planShares } from '../../../../core/queue/shares.ts'
import { limitPool } from '../../../../store/db/fleet/limit-pool.ts'
import { listQueue } from '../../../../store/db/queue/list-queue.ts'
import { setShare } from '../../../../store/db/queue/set-share.ts'
import { addJob, addNode, addTask } from '../../database.ts'
import { startQueue } from './queue.ts'

const { db, queueTest, lease, newJob, addTasks } = await startQueue()

const lanes = () => listQueue(db, { seenWithinMs: 30_000, limit: 9 })

queueTest('waiting tasks are listed by account and need, with missing capabilities', async (t) => {
  const job = await newJob()
  await addTasks(job, 3)
  t.like((await lanes())[0], { queued: 3, running: 0, missing: null, limits: [] })
  const node = await addNode(db)
  await addTask(db, { ...job, requirements: { encoder: 'h264_nvenc' } })
  await lease(node)
  const [plain, fast] = await lanes()
  t.like(plain, { accountId: job.accountId, queued: 2, running: 1, missing: [], limits: [] })
  t.like(fast, { queued: 1, running: 0, missing: ['encoder h264_nvenc'], limits: [] })
})

queueTest('tasks at a limit of farm, pool or account name it', async (t) => {
  const job = await newJob()
  await addTasks(job, 5)
  const [node] = [await addNode(db), await addNode(db, { pool: 'spot' })]
  await lease(node, 2)
  const limits = async () => (await lanes())[0]?.limits
  await limitPool(db, { pool: '', slots: 2 })
  t.deepEqual(await limits(), [], 'the other pool has room')
  await limitPool(db, { pool: 'spot', slots: 0 })
  t.deepEqual(await limits(), [
    { of: 'pool', name: '', running: 2, most: 2 },
    { of: 'pool', name: 'spot', running: 0, most: 0 },
  ])
  await limitPool(db, { pool: 'spot', slots: null })
  await limitPool(db, { pool: null, slots: 1 })
  await setShare(db, { accountId: job.accountId, slotsBurst: 2 })
  t.deepEqual(await limits(), [
    { of: 'farm', name: '', running: 2, most: 1 },
    { of: 'account', name: '', running: 2, most: 2 },
  ])
})

queueTest('a job’s cap is listed unless another job may go on', async (t) => {
  const job = await newJob()
  const most = planShares.free.jobSlots
  await setShare(db, { accountId: job.accountId, slotsBurst: most + 9 })
  await addTasks(job, most + 1)
  const node = await addNode(db, { slots: most })
  t.is((await lease(node, most)).length, most)
  t.deepEqual((await lanes())[0]?.limits, [{ of: 'job', name: '', running: most, most }])
  const next = { ...job, jobId: await addJob(db, job.accountId) }
  await addTask(db, next)
  t.like((await lanes())[0], { queued: 2, limits: [] })
})
