import { sql } from 'kysely'
import { endWants } from '../../../../store/db/playback/end-wants.ts'
import { wantOutputs } from '../../../../store/db/playback/want-outputs.ts'
import { renewLeases } from '../../../../store/db/queue/renew-leases.ts'
import { setPriority } from '../../../../store/db/queue/set-priority.ts'
import { addJob, addNode, addTask } from '../../database.ts'
import { leaseMs, startQueue } from './queue.ts'

/** Plays that end before they have all that they wanted. */

const { db, queueTest, lease, leaseOne, newJob } = await startQueue()

type Job = Awaited<ReturnType<typeof newJob>>

/** Queues a shard for each of the segments 0 to `count` - 1. */
async function addShards(job: Job, count: number) {
  for (let index = 0; index < count; index += 1) {
    const spec = { segments: [index], assemble: false }
    await addTask(db, { ...job, spec, outputs: [`segment-${index}`] })
  }
}

async function want({ accountId, jobId }: Job, ...names: readonly string[]) {
  await wantOutputs(db, { accountId, outputs: names.map((name) => ({ jobId, name })) })
}

/** Lets the time pass for which wants of these jobs count. */
async function leave(...jobs: readonly Job[]) {
  await sql`update tasks set wanted_until = now() - interval '1 millisecond'
    where wanted_until is not null
      and job_id = any(${jobs.map(({ jobId }) => jobId)}::uuid[])`.execute(db)
}

/** Start tags of an account's queued shards, by job and segment. */
async function tagsOf({ accountId }: Job): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select job_id, outputs, virtual_start from tasks
    where account_id = ${accountId} and state = 'queued' order by job_id, outputs`.execute(db)
  return rows
}

/** Segments in the order in which a node gets them, one at a time. */
async function turnsOf(count: number, nodeId: string) {
  const turns: { readonly jobId: string; readonly segment: number }[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const [task] = await lease(nodeId)
    if (!task) break
    turns.push({ jobId: task.jobId, segment: (task.spec.segments as number[])[0] ?? -1 })
  }
  return turns
}

const segmentsOf = (turns: readonly { readonly segment: number }[]) =>
  turns.map(({ segment }) => segment)

queueTest('an abandoned play leaves the queue as it found it', async (t) => {
  const job = await newJob()
  await addShards(job, 6)
  const before = await tagsOf(job)
  await want(job, 'segment-4')
  await want(job, 'segment-5', 'segment-3')
  t.notDeepEqual(await tagsOf(job), before)
  await endWants(db)
  t.notDeepEqual(await tagsOf(job), before, 'it still plays')
  await leave(job)
  await endWants(db)
  t.deepEqual(await tagsOf(job), before)
  t.deepEqual(segmentsOf(await turnsOf(6, await addNode(db))), [0, 1, 2, 3, 4, 5])
})

queueTest('what was begun for a play costs the others one turn each', async (t) => {
  const job = await newJob()
  await addShards(job, 6)
  const node = await addNode(db)
  await want(job, 'segment-4')
  t.deepEqual(segmentsOf(await turnsOf(1, node)), [4])
  await want(job, 'segment-5')
  const tags = async () =>
    (await sql`select virtual_start from tasks where state = 'queued' order by 1`.execute(db)).rows
  const left = await tags()
  await leave(job)
  await endWants(db)
  t.deepEqual(await tags(), left, 'the account gains nothing')
  t.deepEqual(segmentsOf(await turnsOf(5, node)), [0, 1, 2, 3, 5])
})

queueTest('a play that goes on stays ahead when another ends', async (t) => {
  const left = await newJob()
  const watched = { ...left, jobId: await addJob(db, left.accountId) }
  await addShards(left, 4)
  await addShards(watched, 4)
  await want(watched, 'segment-3')
  await want(left, 'segment-2')
  await leave(left)
  await endWants(db)
  const turns = await turnsOf(8, await addNode(db))
  t.deepEqual(turns[0], { jobId: watched.jobId, segment: 3 })
  t.deepEqual(segmentsOf(turns.slice(1, 5)), [0, 1, 2, 3])
  await leave(watched)
  await endWants(db)
  const { rows } = await sql`select from tasks where own_start is not null and state = 'queued'
    or wanted_until is not null or wanted <> '{}'`.execute(db)
  t.deepEqual(rows, [], 'nothing is remembered')
})

queueTest('two films that play share the first turns', async (t) => {
  const one = await newJob()
  const two = { ...one, jobId: await addJob(db, one.accountId) }
  await addShards(one, 8)
  await addShards(two, 8)
  await want(one, 'segment-6')
  await want(two, 'segment-7')
  t.deepEqual(segmentsOf(await turnsOf(2, await addNode(db))), [7, 6])
})

queueTest('a node hears no more of segments that nobody waits for', async (t) => {
  const job = await newJob()
  const spec = { segments: [0, 1, 2, 3], assemble: false }
  await addTask(db, { ...job, spec, outputs: ['segment-0', 'segment-3'] })
  const held = await leaseOne(await addNode(db))
  const renew = async () =>
    await renewLeases(db, {
      renewals: [{ nodeId: held.nodeId, held: [{ ...held, framesDone: 0, previews: 0 }] }],
      leaseMs,
    })
  await want(job, 'segment-3')
  t.deepEqual(await renew(), [{ ...held, wanted: [3] }])
  await leave(job)
  t.deepEqual(await renew(), [], 'before anything is swept')
})

queueTest('a job whose priority changes keeps its new place', async (t) => {
  const job = await newJob()
  await addShards(job, 4)
  await want(job, 'segment-3')
  await db.transaction().execute((tx) => setPriority(tx, { jobId: job.jobId, priority: 'high' }))
  const changed = await tagsOf(job)
  await leave(job)
  await endWants(db)
  t.deepEqual(await tagsOf(job), changed)
})
