import { randomUUID } from 'node:crypto'
import { claimSegments } from '../../../../store/db/artifacts/claim-segments.ts'
import { inTransaction } from '../../../../store/db/database.ts'
import { readFleetFigures } from '../../../../store/db/fleet/read-fleet-figures.ts'
import { cancelJob } from '../../../../store/db/jobs/cancel-job.ts'
import { holdJob, resumeJob } from '../../../../store/db/jobs/hold-job.ts'
import { failTask } from '../../../../store/db/queue/fail-task.ts'
import { listQueue } from '../../../../store/db/queue/list-queue.ts'
import { readWaiting } from '../../../../store/db/queue/read-waiting.ts'
import { renewLeases } from '../../../../store/db/queue/renew-leases.ts'
import { addJob, addNode, addTask } from '../../database.ts'
import { broken, leaseMs, startQueue } from '../queue/queue.ts'

const { db, queueTest, lease, leaseOne, newJob, addTasks } = await startQueue()

const hold = (jobId: string, takesBack = false) =>
  inTransaction(db, (tx) => holdJob(tx, { jobId, reason: 'a test', takesBack }))
const resume = (jobId: string) => inTransaction(db, (tx) => resumeJob(tx, jobId))
const statesOf = async (jobId: string) =>
  (await db.selectFrom('tasks').select('state').where('job_id', '=', jobId).execute())
    .map(({ state }) => state)
    .toSorted()

queueTest('nothing of a held job starts, and work behind it does', async (t) => {
  const job = await newJob()
  await addTasks(job, 50)
  const next = { ...job, jobId: await addJob(db, job.accountId) }
  await addTasks(next, 1)
  t.true(await hold(job.jobId))
  await addTasks(job, 1)
  const leased = await lease(await addNode(db), 8)
  t.deepEqual(
    leased.map(({ jobId }) => jobId),
    [next.jobId],
  )
  t.deepEqual(new Set(await statesOf(job.jobId)), new Set(['held']))
})

queueTest('a held job counts as no backlog', async (t) => {
  const job = await newJob()
  await addTasks(job, 3)
  await hold(job.jobId)
  t.deepEqual(await listQueue(db, { seenWithinMs: 30_000, limit: 9 }), [])
  t.deepEqual((await readFleetFigures(db, { seenWithinMs: 30_000 })).queues, [])
})

queueTest('a held job tells its customer that it is held', async (t) => {
  const job = await newJob()
  await addTasks(job, 2)
  const running = await leaseOne(await addNode(db))
  await hold(job.jobId)
  t.is(await readWaiting(db, job.jobId), null, 'a task still runs')
  await failTask(db, { ...running, failure: broken })
  t.deepEqual(await statesOf(job.jobId), ['held', 'held'])
  const waiting = await readWaiting(db, job.jobId)
  t.like(waiting, { reason: 'held', startsIn: null })
  t.regex(waiting?.message ?? '', /^The operators of the farm hold the job since .*Z\. It goes on/)
})

queueTest('running tasks of a held job finish, those of a paused one return', async (t) => {
  const [held, paused] = [await newJob(), await newJob()]
  await addTasks(held, 1)
  await addTasks(paused, 1)
  const node = await addNode(db)
  const leased = await lease(node, 8)
  await hold(held.jobId)
  await hold(paused.jobId, true)
  t.deepEqual(await statesOf(held.jobId), ['leased'])
  t.deepEqual(await statesOf(paused.jobId), ['held'])
  const kept = leased.map(({ id: taskId, attempt }) => ({
    taskId,
    attempt,
    framesDone: 1,
    previews: 0,
  }))
  const news = await renewLeases(db, { renewals: [{ nodeId: node, held: kept }], leaseMs })
  const stopped = leased.find(({ jobId }) => jobId === paused.jobId)
  t.deepEqual(news, [{ nodeId: node, taskId: stopped?.id ?? '', attempt: 1, reason: 'lost' }])
  const { failed_nodes: blamed } = await db
    .selectFrom('tasks')
    .select('failed_nodes')
    .where('job_id', '=', paused.jobId)
    .executeTakeFirstOrThrow()
  t.deepEqual(blamed, [])
})

queueTest('a resumed job goes on behind the work of the meantime', async (t) => {
  const [job, other] = [await newJob(), await newJob()]
  await addTasks(job, 1)
  await hold(job.jobId)
  const node = await addNode(db)
  await addTasks(other, 9)
  await lease(node, 8)
  t.true(await resume(job.jobId))
  t.false(await resume(job.jobId), 'it is not held any more')
  const { start } = await db
    .selectFrom('tasks')
    .select('virtual_start as start')
    .where('job_id', '=', job.jobId)
    .executeTakeFirstOrThrow()
  const { virtual_time: time } = await db
    .selectFrom('farm_clock')
    .select('virtual_time')
    .executeTakeFirstOrThrow()
  t.true(time > 0)
  t.true(start >= time)
  const [first] = await lease(await addNode(db), 8)
  t.truthy(first)
  t.is(await readWaiting(db, job.jobId), null)
})

queueTest('a cancelled job that was held releases its credits', async (t) => {
  const job = await newJob()
  await addTasks(job, 2)
  await hold(job.jobId)
  const held = async () =>
    await db
      .selectFrom('accounts')
      .select(['credits_reserved as reserved', 'credits_balance as balance'])
      .where('id', '=', job.accountId)
      .executeTakeFirstOrThrow()
  t.is((await held()).reserved, 10)
  t.true((await cancelJob(db, { ...job, reason: 'a test' }))?.settled)
  t.deepEqual(await statesOf(job.jobId), ['cancelled', 'cancelled'])
  t.deepEqual(await held(), { reserved: 0, balance: 1000 })
  t.false(await hold(job.jobId), 'it has ended')
})

queueTest('segments of a held job are left to others', async (t) => {
  const { accountId, jobId } = await newJob()
  const other = await addJob(db, accountId)
  const fingerprints = ['a segment']
  const claim = (id: string) => claimSegments(db, { accountId, jobId: id, fingerprints })
  t.is((await claim(jobId)).size, 1)
  t.is((await claim(other)).size, 0)
  await hold(jobId)
  t.is((await claim(other)).size, 1)
})

queueTest('media that a bulk shares are fetched for a held job', async (t) => {
  const job = await newJob()
  const group = { workflow_group: randomUUID() }
  await db.updateTable('jobs').set(group).where('id', '=', job.jobId).execute()
  const fetch = { kind: 'ingest', spec: { url: 'https://example.com/a.png' }, outputs: [] } as const
  await addTask(db, { ...job, ...fetch })
  await addTasks(job, 1)
  await hold(job.jobId)
  await addTask(db, { ...job, ...fetch })
  t.deepEqual(await statesOf(job.jobId), ['held', 'queued', 'queued'])
})
