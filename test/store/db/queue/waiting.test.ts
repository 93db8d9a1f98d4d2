import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { plans } from '../../../../core/accounts/plans.ts'
import { openAccountDatabases } from '../../../../store/db/account-databases.ts'
import { claimSegments } from '../../../../store/db/artifacts/claim-segments.ts'
import { limitPool } from '../../../../store/db/fleet/limit-pool.ts'
import { noteScaledPool } from '../../../../store/db/fleet/note-scaled-pool.ts'
import { markWorkflowStarted } from '../../../../store/db/jobs/mark-workflow-started.ts'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { jsonb } from '../../../../store/db/jsonb.ts'
import { failTask } from '../../../../store/db/queue/fail-task.ts'
import { readWaiting } from '../../../../store/db/queue/read-waiting.ts'
import { setShare } from '../../../../store/db/queue/set-share.ts'
import {
  addAccount,
  addBulk,
  addJob,
  addNode,
  addTask,
  completeTask,
  silent,
} from '../../database.ts'
import { enterStage } from '../jobs/one-job.ts'
import { startQueue } from './queue.ts'

const { db, url, queueTest, lease, leaseOne, newJob, addTasks } = await startQueue()
const accounts = openAccountDatabases({ url, log: silent, connections: 1 })
queueTest.after.always(() => accounts.close())

queueTest('a job waits for the machines of a scaled pool', async (t) => {
  t.teardown(() => sql`delete from scaled_pools`.execute(db))
  const job = await newJob()
  await addTask(db, { ...job, requirements: { pool: 'gpu' } })
  const reason = async () => (await readWaiting(db, job.jobId))?.reason
  await noteScaledPool(db, 'cpu')
  t.is(await reason(), 'no_machine', 'nobody scales its pool')
  await noteScaledPool(db, 'gpu')
  t.like(await readWaiting(db, job.jobId), {
    reason: 'pool_starts',
    message: 'Machines for the job are starting. It begins when the first is there.',
    startsIn: null,
  })
  await addNode(db)
  t.is(await reason(), 'pool_starts', 'the machines of other pools do not help')
  await limitPool(db, { pool: 'gpu', slots: 0 })
  t.is(await reason(), 'missing_capability', 'the pool may have no machine')
  await limitPool(db, { pool: 'gpu', slots: null })
  await setShare(db, { accountId: job.accountId, slotsBurst: 0 })
  t.is(await reason(), 'account_limit')
  await setShare(db, { accountId: job.accountId, slotsBurst: null })
  await addNode(db, { pool: 'gpu', kinds: ['bake'] })
  t.is(await reason(), 'missing_capability', 'its machines are not able')
  await addNode(db, { pool: 'gpu' })
  t.is(await reason(), 'turn')
})

queueTest('a waiting job names its reason', async (t) => {
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

queueTest('a waiting job names set limits, and only work that competes', async (t) => {
  const [stuck, job] = [await newJob(), await newJob()]
  for (let i = 0; i < 5; i++) await addTask(db, { ...stuck, requirements: { pool: 'vip' } })
  await addTasks(job, 5)
  const next = { ...job, jobId: await addJob(db, job.accountId) }
  await addTask(db, next)
  await addNode(db)
  t.like(await readWaiting(db, next.jobId), { reason: 'turn', ahead: 5 })
  await limitPool(db, { pool: 'vip', slots: 0 })
  t.like(await readWaiting(db, next.jobId), { reason: 'turn' })
  await limitPool(db, { pool: '', slots: 0 })
  t.like(await readWaiting(db, next.jobId), { reason: 'farm_limit', startsIn: null })
  const other = await addNode(db, { pool: 'spot' })
  t.like(await readWaiting(db, next.jobId), { reason: 'turn' }, 'another pool has room')
  await limitPool(db, { pool: null, slots: 1 })
  t.is((await lease(other, 9)).length, 1)
  t.like(await readWaiting(db, next.jobId), {
    reason: 'farm_limit',
    message: 'The farm runs 1 task and is limited to 1 at once.',
  })
})

queueTest('a job whose workflow was not started yet says so', async (t) => {
  const job = await newJob()
  t.like(await readWaiting(db, job.jobId), { reason: 'not_started', share: null, ahead: 0 })
  await markWorkflowStarted(db, job)
  t.is(await readWaiting(db, job.jobId), null)
})

queueTest('a job whose workflow does not go on says so, whatever it did before', async (t) => {
  const job = await newJob()
  const ago = async (seconds: number) => {
    const at = new Date(Date.now() - seconds * 1_000)
    await db
      .updateTable('jobs')
      .set({ created_at: at, workflow_started_at: at, stages: jsonb({ bake: at }) })
      .where('id', '=', job.jobId)
      .execute()
    await db.updateTable('tasks').set({ finished_at: at }).execute()
  }
  await ago(40)
  const late = { reason: 'workflow_late', share: null, startsIn: null }
  t.like(await readWaiting(db, job.jobId), late, 'nobody has taken it up')
  t.like(await readWaiting(accounts.of(job.accountId), job.jobId), late, 'its customer is told')
  await enterStage(db, { ...job, stage: 'plan' })
  t.is(await readWaiting(db, job.jobId), null, 'it has just gone on')
  await addTask(db, job)
  await completeTask(db, { ...(await leaseOne(await addNode(db))), result: {} })
  await db.updateTable('jobs').set({ stages: '{}' }).execute()
  await ago(40)
  const { message } = (await readWaiting(db, job.jobId)) ?? {}
  t.regex(
    message ?? '',
    /^The workflow of the job has made no progress for 4\d s: /,
    'it was not told of its task',
  )
  await db.updateTable('tasks').set({ finished_at: new Date() }).execute()
  t.is(await readWaiting(db, job.jobId), null, 'a task of it has just ended')
})

queueTest('an item of a bulk says when it waits for those that come before it', async (t) => {
  const most = plans.free.bulkInFlight
  const accountId = await addAccount(db)
  const ids = Array.from({ length: most + 3 }, () => randomUUID())
  await addBulk(db, { accountId, ids })
  const last = ids.at(-1) ?? ''
  t.like(await readWaiting(db, last), { reason: 'not_started' }, 'the bulk has not begun')
  for (const jobId of ids.slice(0, most)) await markWorkflowStarted(db, { accountId, jobId })
  t.like(await readWaiting(db, last), {
    reason: 'bulk_in_flight',
    message: `The bulk has ${most} jobs in flight and is limited to ${most} at once; 2 of its items come before this one.`,
    ahead: 2,
  })
  t.like(await readWaiting(accounts.of(accountId), last), { reason: 'bulk_in_flight', ahead: 2 })
  const done = { accountId, jobId: ids[0] ?? '', reason: 'a test' }
  await settleJob(db, { ...done, settlement: { to: 'cancelled', charge: 0 } })
  t.is(await readWaiting(db, ids[0] ?? ''), null, 'it has ended')
  t.like(await readWaiting(db, last), { reason: 'not_started' }, 'there is room')
})

queueTest('a job says which address failed it, and when it is asked again', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  await addTask(db, job)
  const message = 'The address must answer with status 200. Got 503'
  const failure = {
    code: 'media_unreachable',
    message,
    field: 'visuals[0].src',
    logTail: '',
  } as const
  await failTask(db, {
    ...(await leaseOne(nodeId)),
    failure: { ...failure, retry: { afterMs: 30_000 } },
  })
  const waiting = await readWaiting(accounts.of(job.accountId), job.jobId)
  t.is(waiting?.reason, 'media_retry')
  t.regex(
    waiting?.message ?? '',
    /^visuals\[0\]\.src: .*Got 503\. The next attempt follows in 3\d s\.$/,
  )
  t.true((waiting?.startsIn ?? 0) > 25)
  await db.updateTable('tasks').set({ not_before: new Date() }).execute()
  t.not((await readWaiting(db, job.jobId))?.reason, 'media_retry')
})

queueTest('a job names the jobs of its group whose media it waits for', async (t) => {
  const first = await newJob()
  const second = { ...first, jobId: await addJob(db, first.accountId) }
  const other = { ...first, jobId: await addJob(db, first.accountId) }
  const group = { workflow_group: randomUUID() } as never
  for (const job of [first, second, other]) await markWorkflowStarted(db, job)
  const jobIds = [first.jobId, second.jobId]
  await db.updateTable('jobs').set(group).where('id', 'in', jobIds).execute()
  await addTask(db, { ...first, kind: 'ingest' })
  t.like(await readWaiting(accounts.of(first.accountId), second.jobId), {
    reason: 'media_of_another_job',
    jobs: [first.jobId],
    message: `The job needs media that other jobs of its bulk are fetching now: ${first.jobId}.`,
  })
  t.is(await readWaiting(db, other.jobId), null, 'of no group')
  await db.deleteFrom('tasks').execute()
  t.is(await readWaiting(db, second.jobId), null)
})

queueTest('a job names the jobs of its account whose segments it waits for', async (t) => {
  const [first, stranger] = [await newJob(), await newJob()]
  const second = { ...first, jobId: await addJob(db, first.accountId) }
  for (const job of [first, second, stranger]) await markWorkflowStarted(db, job)
  const fingerprints = ['intro', 'outro']
  await claimSegments(db, { ...stranger, fingerprints })
  await claimSegments(db, { ...first, fingerprints })
  const awaited = ['intro', 'outro', 'stored since']
  await enterStage(db, { ...second, stage: 'plan', awaited })
  const expected = {
    reason: 'segments_of_another_job',
    jobs: [first.jobId],
    message: `The job needs 2 segments that other jobs of the account are rendering now: ${first.jobId}.`,
  }
  t.like(await readWaiting(db, second.jobId), expected)
  t.like(await readWaiting(accounts.of(second.accountId), second.jobId), expected)
  t.is(await readWaiting(accounts.of(stranger.accountId), second.jobId), null)
  await addNode(db)
  await addTask(db, second)
  t.like(await readWaiting(db, second.jobId), { reason: 'turn', jobs: [] }, 'its own part first')
  await db.deleteFrom('tasks').execute()
  await settleJob(db, {
    ...first,
    ...{ reason: 'a test', settlement: { to: 'cancelled', charge: 0 } },
  })
  const at = new Date(Date.now() - 40_000)
  await db
    .updateTable('jobs')
    .set({ created_at: at, workflow_started_at: at, stages: '{}' })
    .where('id', '=', second.jobId)
    .execute()
  t.is(await readWaiting(db, second.jobId), null, 'what was claimed is anyone’s')
})
