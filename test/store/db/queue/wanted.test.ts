import { randomUUID } from 'node:crypto'
import { listen } from '../../../../store/db/listen.ts'
import { findWritten } from '../../../../store/db/playback/find-written.ts'
import { wantOutputs } from '../../../../store/db/playback/want-outputs.ts'
import { renewLeases } from '../../../../store/db/queue/renew-leases.ts'
import {
  addAccount,
  addBulk,
  addJob,
  addNode,
  addTask,
  completeTask,
  silent,
} from '../../database.ts'
import { leaseMs, startQueue } from './queue.ts'

const { db, url, queueTest, lease, leaseOne, newJob } = await startQueue()

type Job = Awaited<ReturnType<typeof newJob>>

async function want({ accountId, jobId }: Job, ...names: readonly string[]) {
  await wantOutputs(db, { accountId, outputs: names.map((name) => ({ jobId, name })) })
}

/** Queues a shard for each of the segments 0 to `count` - 1. */
async function addShards(job: Job, count: number) {
  for (let index = 0; index < count; index += 1) {
    const spec = { segments: [index], assemble: false }
    await addTask(db, { ...job, spec, outputs: [`segment-${index}`] })
  }
}

async function tagsOf({ accountId }: Job): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('virtual_start')
    .where('account_id', '=', accountId)
    .orderBy('virtual_start')
    .execute()
  return rows.map(({ virtual_start }) => virtual_start)
}

queueTest('a wanted shard is leased first, and the account gains nothing', async (t) => {
  const watched = await newJob()
  const other = await newJob()
  await addShards(watched, 6)
  await addShards(other, 6)
  const before = [await tagsOf(watched), await tagsOf(other)]
  await want(watched, 'segment-4')
  t.deepEqual([await tagsOf(watched), await tagsOf(other)], before)
  const leased = await lease(await addNode(db, { slots: 4 }), 4)
  const own = leased.filter(({ jobId }) => jobId === watched.jobId)
  t.deepEqual(own.map(({ spec }) => spec.segments)[0], [4])
  t.is(own.length, 2, 'half of the turns, as before')
})

queueTest('several wanted shards go first, in the order of asking', async (t) => {
  const [job, films] = [await newJob(), await newJob()]
  await addShards(job, 8)
  await addShards(films, 2)
  const before = [await tagsOf(job), await tagsOf(films)]
  const names = ['segment-6', 'segment-1', 'segment-3']
  await want(job, ...names)
  await want(job, ...names)
  t.deepEqual([await tagsOf(job), await tagsOf(films)], before)
  const leased = await lease(await addNode(db, { slots: 16 }), 16)
  const own = leased.filter(({ jobId }) => jobId === job.jobId)
  const order = own.map(({ spec }) => (spec.segments as number[])[0])
  t.deepEqual(order.slice(0, 3), [6, 1, 3])
})

queueTest('a sound that players wait for brings its shard forward', async (t) => {
  const job = await newJob()
  await addShards(job, 3)
  const spec = { segments: [3], assemble: false, sound: true }
  await addTask(db, { ...job, spec, outputs: ['segment-3', 'sound'] })
  await want(job, 'sound')
  const [first] = await lease(await addNode(db))
  t.deepEqual(first?.spec.segments, [3])
})

queueTest('a player brings forward the only task of a small film', async (t) => {
  const first = await newJob()
  const watched = { ...first, jobId: await addJob(db, first.accountId) }
  for (const job of [first, watched]) {
    await addTask(db, { ...job, kind: 'make', outputs: ['bake-0', 'output', 'thumbnail'] })
  }
  await want(watched, 'output')
  const task = await leaseOne(await addNode(db, { kinds: ['make'] }))
  const { job_id: jobId } = await db
    .selectFrom('tasks')
    .select('job_id')
    .where('id', '=', task.taskId)
    .executeTakeFirstOrThrow()
  t.is(jobId, watched.jobId)
})

queueTest('what another account wants moves nothing', async (t) => {
  const job = await newJob()
  const stranger = await newJob()
  await addShards(job, 3)
  await want({ ...job, accountId: stranger.accountId }, 'segment-2')
  const [first] = await lease(await addNode(db))
  t.deepEqual(first?.spec.segments, [0])
})

queueTest('a node learns at its renewal which segments are wanted', async (t) => {
  const job = await newJob()
  const spec = { segments: [0, 1, 2, 3], assemble: false }
  await addTask(db, { ...job, spec, outputs: ['segment-0', 'segment-3'] })
  const held = await leaseOne(await addNode(db))
  const renew = async () =>
    await renewLeases(db, {
      renewals: [{ nodeId: held.nodeId, held: [{ ...held, framesDone: 0, previews: 0 }] }],
      leaseMs,
    })
  t.deepEqual(await renew(), [])
  await want(job, 'segment-3')
  t.deepEqual(await renew(), [{ ...held, wanted: [3] }])
})

queueTest('an output counts once its running or winning attempt has written it', async (t) => {
  const job = await newJob()
  await addTask(db, { ...job, outputs: ['segment-0', 'segment-1'] })
  const held = await leaseOne(await addNode(db))
  const names = ['segment-0', 'segment-1', 'sound']
  const { accountId, jobId } = job
  const outputs = names.map((name) => ({ jobId, name }))
  const found = async () =>
    [...(await findWritten(db, { accountId, outputs })).keys()].map((id) => id.split('/')[1])
  t.deepEqual(await found(), [])
  const written = ['segment-1', 'sound']
  const task = { ...held, framesDone: 1, previews: 0, written }
  await renewLeases(db, { renewals: [{ nodeId: held.nodeId, held: [task] }], leaseMs })
  t.deepEqual(await found(), ['segment-1'], 'outputs of its lease alone')
  await completeTask(db, { ...held, result: {} })
  t.deepEqual(await found(), ['segment-0', 'segment-1'])
  const stranger = await newJob()
  t.is((await findWritten(db, { accountId: stranger.accountId, outputs })).size, 0)
})

queueTest('a finished segment is notified of, though no more frames are done', async (t) => {
  const job = await newJob()
  await addTask(db, { ...job, outputs: ['segment-0'] })
  const held = { ...(await leaseOne(await addNode(db))), framesDone: 0, previews: 0 }
  const heard: (string | undefined)[] = []
  const { promise: ready, resolve: begun } = Promise.withResolvers<void>()
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const onNotify = (jobId: string | undefined) => {
    heard.push(jobId)
    if (jobId === undefined) begun()
    else tell()
  }
  const stop = listen({ url, channel: 'job_changes', log: silent, onNotify })
  await ready
  const renew = async (written: string[]) => {
    const renewals = [{ nodeId: held.nodeId, held: [{ ...held, written }] }]
    await renewLeases(db, { renewals, leaseMs })
  }
  await renew([])
  await renew(['segment-0'])
  await told
  await stop()
  t.deepEqual(heard, [undefined, job.jobId])
})

const [bulkSize, shardsOfFilm, watchedAt] = [50, 4, 37]

/**
 * Runs a bulk of films beside one long film of another account, a shard at a time, until the other
 * account has rendered its film. @returns whose turn each was, and which shards of the watched film
 * came when
 */
async function turnsOf({ isWatched }: { isWatched: boolean }) {
  const crowd = await addAccount(db)
  const ids = Array.from({ length: bulkSize }, () => randomUUID())
  await addBulk(db, { accountId: crowd, ids })
  for (const jobId of ids) await addShards({ accountId: crowd, jobId }, shardsOfFilm)
  const other = await newJob()
  await addShards(other, 30)
  const watched = { accountId: crowd, jobId: ids[watchedAt] ?? '' }
  const node = await addNode(db, { slots: 1 })
  const turns: string[] = []
  const played: { readonly segments: readonly number[]; readonly turn: number }[] = []
  for (let left = 30; left > 0; ) {
    const next = played.length
    if (isWatched && next < shardsOfFilm) await want(watched, `segment-${next}`)
    const [task] = await lease(node)
    if (!task) throw new Error('There must be a task to lease')
    turns.push(task.jobId === other.jobId ? 'other' : 'crowd')
    if (task.jobId === other.jobId) left -= 1
    if (task.jobId === watched.jobId) {
      played.push({ segments: task.spec.segments as number[], turn: turns.length })
    }
    await completeTask(db, { nodeId: node, taskId: task.id, attempt: task.attempt, result: {} })
  }
  await db.deleteFrom('tasks').execute()
  return { turns, played }
}

queueTest('a bulk of 50 with one watched takes no turn of another account', async (t) => {
  const before = await turnsOf({ isWatched: false })
  const { turns, played } = await turnsOf({ isWatched: true })
  t.deepEqual(turns, before.turns)
  t.deepEqual(before.played, [], 'its turn would come later')
  t.deepEqual(
    played.map(({ segments }) => segments),
    [[0], [1], [2], [3]],
  )
  // The crowd's first turns are all of the watched film.
  const firstTurns = turns.flatMap((who, i) => (who === 'crowd' ? [i + 1] : []))
  t.deepEqual(
    played.map(({ turn }) => turn),
    firstTurns.slice(0, shardsOfFilm),
  )
})
