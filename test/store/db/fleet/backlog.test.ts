import { sql } from 'kysely'
import { planShares } from '../../../../core/queue/shares.ts'
import { inTransaction } from '../../../../store/db/database.ts'
import { limitPool } from '../../../../store/db/fleet/limit-pool.ts'
import { noteScaledPool } from '../../../../store/db/fleet/note-scaled-pool.ts'
import { readBacklog } from '../../../../store/db/fleet/read-backlog.ts'
import { holdJob, resumeJob } from '../../../../store/db/jobs/hold-job.ts'
import { setShare } from '../../../../store/db/queue/set-share.ts'
import { addJob, addNode, addTask } from '../../database.ts'
import { startQueue } from '../queue/queue.ts'

const { db, queueTest, lease, newJob, addTasks } = await startQueue()

const of = async (pool: string) => (await readBacklog(db)).find((each) => each.pool === pool)
const tasksOf = async (pool = '') => (await of(pool))?.tasks ?? 0

queueTest('waiting and running tasks make the slots that a pool wants', async (t) => {
  const job = await newJob()
  await addTasks(job, 3, 6_000)
  const node = await addNode(db)
  t.like(await of(''), { tasks: 3, seconds: 180, runningSlots: 0, wantedSlots: 3 })
  await lease(node, 2)
  t.like(await of(''), { tasks: 1, seconds: 60, runningSlots: 2, wantedSlots: 3 })
})

queueTest('tasks at the limit of their account do not count', async (t) => {
  const job = await newJob()
  await addTasks(job, 5)
  await lease(await addNode(db), 1)
  await setShare(db, { accountId: job.accountId, slotsBurst: 3 })
  t.is(await tasksOf(), 2)
  await setShare(db, { accountId: job.accountId, slotsBurst: 1 })
  t.like(await of(''), { tasks: 0, seconds: 0, wantedSlots: 1 })
})

queueTest('tasks at the limit of pool or farm do not count', async (t) => {
  await addTasks(await newJob(), 5)
  await addNode(db)
  await limitPool(db, { pool: '', slots: 2 })
  t.is(await tasksOf(), 2)
  await limitPool(db, { pool: null, slots: 1 })
  t.is(await tasksOf(), 1)
  await limitPool(db, { pool: '', slots: 0 })
  t.like(await of(''), { tasks: 0, wantedSlots: 0 })
})

queueTest('tasks beyond the limit of their job do not count', async (t) => {
  const job = await newJob()
  const most = planShares.free.jobSlots
  await setShare(db, { accountId: job.accountId, slotsBurst: most + 20 })
  await addTasks(job, most + 5)
  t.is(await tasksOf(), most)
  await lease(await addNode(db, { slots: most }), most)
  t.is(await tasksOf(), 0)
  await addTasks({ ...job, jobId: await addJob(db, job.accountId) }, 2)
  t.is(await tasksOf(), 2)
})

queueTest('tasks of a held job and delayed retries do not count', async (t) => {
  const [held, delayed] = [await newJob(), await newJob()]
  await addTasks(held, 2)
  await addTasks(delayed, 3)
  await inTransaction(db, (tx) =>
    holdJob(tx, { jobId: held.jobId, reason: 'a test', takesBack: false }),
  )
  t.is(await tasksOf(), 3)
  await sql`update tasks set not_before = now() + interval '1 minute'
    where job_id = ${delayed.jobId}`.execute(db)
  t.is(await tasksOf(), 0)
  await inTransaction(db, (tx) => resumeJob(tx, held.jobId))
  t.is(await tasksOf(), 2)
})

queueTest('tasks count for their pool, though it has no node yet', async (t) => {
  const job = await newJob()
  await addTask(db, { ...job, requirements: { pool: 'gpu' } })
  await addTask(db, job)
  t.is(await tasksOf('gpu'), 1)
  t.is(await tasksOf(''), 1)
})

queueTest('tasks for any pool count for the first that can do them', async (t) => {
  const job = await newJob()
  await addTask(db, job)
  await addTask(db, { ...job, requirements: { encoder: 'h264_nvenc' } })
  await addNode(db, { pool: 'a', gpuMemoryMb: 8_000, encoders: ['libx264', 'h264_nvenc'] })
  await addNode(db, { pool: 'b' })
  t.is(await tasksOf('b'), 1, 'it has no GPU, which the task does not need')
  t.is(await tasksOf('a'), 1)
  await addNode(db)
  t.is(await tasksOf(''), 1, 'nodes without a pool are for everybody')
  await limitPool(db, { pool: '', slots: 0 })
  t.is(await tasksOf('b'), 1, 'a full pool leaves them to the next')
})

queueTest('tasks for any pool start the first scaled one that is at zero', async (t) => {
  for (const name of ['spot', 'gpu']) await noteScaledPool(db, name)
  const job = await newJob()
  await addTask(db, job)
  t.deepEqual([await tasksOf('gpu'), await tasksOf('spot'), await tasksOf('')], [1, 0, 0])
  await addNode(db, { pool: 'gpu', kinds: ['bake'] })
  t.deepEqual([await tasksOf('gpu'), await tasksOf('spot'), await tasksOf('')], [0, 1, 0])
  await sql`update scaled_pools set asked_at = now() - interval '1 hour'`.execute(db)
  t.deepEqual([await tasksOf('gpu'), await tasksOf('spot'), await tasksOf('')], [0, 0, 1])
  await sql`delete from scaled_pools`.execute(db)
})

queueTest('tasks that no node of their pool can do do not count', async (t) => {
  const job = await newJob()
  await addTask(db, { ...job, requirements: { pool: 'gpu', encoder: 'h264_nvenc' } })
  const node = await addNode(db, { pool: 'gpu' })
  t.is(await tasksOf('gpu'), 0)
  await sql`update nodes set last_seen_at = now() - interval '2 hours' where id = ${node}`.execute(
    db,
  )
  t.is(await tasksOf('gpu'), 1, 'the next node of the pool may be able')
})

queueTest('the next machine of a pool may bring a later engine', async (t) => {
  const job = await newJob()
  await addNode(db, { pool: 'gpu' })
  await sql`update nodes set version = '9', offer = offer`.execute(db)
  for (const engine of ['12', '9', '8'])
    await addTask(db, { ...job, requirements: { pool: 'gpu', engine } })
  t.is(await tasksOf('gpu'), 2, 'no machine brings the earlier engine')
})

queueTest('seconds follow the pace of tasks like them', async (t) => {
  const job = await newJob()
  await addTasks(job, 2, 300)
  const leased = await lease(await addNode(db), 1)
  t.is((await of(''))?.seconds, 3, 'nothing was measured yet')
  await sql`update attempts set state = 'completed', cost = 300, ended_at = now(),
    leased_at = now() - interval '60 seconds' where task_id = ${leased[0]?.id}`.execute(db)
  t.is(Math.round((await of(''))?.seconds ?? 0), 60)
  await addTask(db, { ...job, cost: 300, requirements: { memoryMb: 512 } })
  t.is(Math.round((await of(''))?.seconds ?? 0), 120, 'the kind tells of a shape that is new')
})

queueTest('a line that a limit cuts wants all that it leaves', async (t) => {
  const job = await newJob()
  await setShare(db, { accountId: job.accountId, slotsBurst: 4 })
  await addTasks(job, 60, 500)
  await addNode(db)
  t.like(await of(''), { tasks: 4, seconds: 20, wantedSlots: 4 })
})

queueTest('known pools without work want nothing', async (t) => {
  await addNode(db, { pool: 'idle' })
  await limitPool(db, { pool: 'limited', slots: 3 })
  const none = { tasks: 0, seconds: 0, runningSlots: 0, wantedSlots: 0 }
  t.deepEqual(await readBacklog(db), [
    { pool: 'idle', ...none },
    { pool: 'limited', ...none },
  ])
})
