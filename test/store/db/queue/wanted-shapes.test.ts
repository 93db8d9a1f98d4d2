import { endWants } from '../../../../store/db/playback/end-wants.ts'
import { wantOutputs } from '../../../../store/db/playback/want-outputs.ts'
import { addJob, addNode, addTask } from '../../database.ts'
import { startQueue } from './queue.ts'

/** Players’ shards that differ in their needs from the other work of their account. */

const { db, queueTest, lease, newJob } = await startQueue()

type Job = Awaited<ReturnType<typeof newJob>>

const sound = { requirements: { soundEncoder: 'aac' }, outputs: ['segment-0', 'sound'] }
const withGpu = { requirements: { encoder: 'h264_nvenc' as const } }

async function filmOf({ accountId }: Job): Promise<Job> {
  return { accountId, jobId: await addJob(db, accountId) }
}

async function addShards(job: Job, count: number) {
  for (let index = 0; index < count; index += 1) {
    await addTask(db, { ...job, outputs: [`segment-${index}`] })
  }
}

async function want({ accountId, jobId }: Job, ...names: readonly string[]) {
  await wantOutputs(db, { accountId, outputs: names.map((name) => ({ jobId, name })) })
}

async function tagsOf({ accountId }: Job) {
  return await db
    .selectFrom('tasks')
    .select(['id', 'virtual_start'])
    .where('account_id', '=', accountId)
    .orderBy('virtual_start')
    .execute()
}

const startsOf = async (job: Job) => (await tagsOf(job)).map(({ virtual_start: start }) => start)

queueTest('the shard with a film’s sound overtakes its account’s silent films', async (t) => {
  const silent = await newJob()
  const other = await newJob()
  await addShards(silent, 8)
  await addShards(other, 9)
  const watched = await filmOf(silent)
  await addTask(db, { ...watched, ...sound })
  const node = await addNode(db, { slots: 2, encoders: ['libx264', 'aac'] })
  const before = [await startsOf(silent), await startsOf(other)]
  await want(watched, 'segment-0', 'sound')
  t.deepEqual([await startsOf(silent), await startsOf(other)], before, 'no account gains')
  const leased = await lease(node, 2)
  t.deepEqual(
    leased.map(({ jobId }) => jobId).sort(),
    [watched.jobId, other.jobId].sort(),
    'each account has one of two turns, as before',
  )
})

queueTest('tasks of several shapes get their own order back', async (t) => {
  const silent = await newJob()
  await addShards(silent, 5)
  const watched = await filmOf(silent)
  await addTask(db, { ...watched, ...sound })
  await addNode(db, { encoders: ['libx264', 'aac'] })
  const before = await tagsOf(silent)
  await want(watched, 'sound')
  t.is((await tagsOf(silent))[0]?.id, before[5]?.id)
  await db
    .updateTable('tasks')
    .set({ wanted_until: new Date(0) })
    .where('job_id', '=', watched.jobId)
    .execute()
  await endWants(db)
  t.deepEqual(await tagsOf(silent), before)
})

queueTest('a shard for few nodes takes no turn of others there', async (t) => {
  const silent = await newJob()
  const other = await newJob()
  await addShards(silent, 8)
  const watched = await filmOf(silent)
  await addTask(db, { ...watched, ...withGpu })
  await addTask(db, { ...other, ...withGpu, cost: 4 })
  await addTask(db, { ...other, ...withGpu })
  await addNode(db)
  const node = await addNode(db, { slots: 1, encoders: ['libx264', 'h264_nvenc'] })
  const before = await tagsOf(silent)
  await want(watched, 'segment-0')
  t.deepEqual(await tagsOf(silent), before)
  await db.deleteFrom('tasks').where('job_id', '=', silent.jobId).execute()
  const [first] = await lease(node)
  t.is(first?.jobId, other.jobId)
})
