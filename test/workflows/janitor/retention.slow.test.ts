import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { sql } from 'kysely'
import { startMinio } from '../../../infra/local/minio.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { type Settlement, settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { handBackTasks } from '../../../store/db/queue/hand-back-tasks.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { taskLogKey, taskOutputKey } from '../../../store/objects/keys.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { openObjectStore, readObjectsUrl } from '../../../store/objects/open.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import {
  addAccount,
  addJob,
  addNode,
  addTask,
  completeTask,
  startDatabase,
} from '../../store/database.ts'
import { enterStage, listTasksOfJob, putArtifact } from '../../store/db/jobs/one-job.ts'

const home = mkdtempSync(join(tmpdir(), 'farm-test-'))
const minio = await startMinio({ dataDir: join(home, 'minio') })
const { db, stop } = await startDatabase()
test.after.always(async () => {
  await minio.stop()
  await stop()
  rmSync(home, { recursive: true, force: true })
})

const settings = { publicUrl: 'https://farm.example.com', secret: 'a secret of the tests' }
const directory = openObjectStore(pathToFileURL(join(home, 'directory')), settings)
const bucket = openObjectStore(readObjectsUrl({ FARM_OBJECTS: minio.url }), settings)
const digest = () => randomUUID().replaceAll('-', '').repeat(2)

const result = { duration: 2, size: 4, width: 320, height: 180, format: 'mp4' as const }
const links = { url: 'https://example.com/', thumbnailUrl: null }
const error = { code: 'internal', message: 'It broke', details: [] } as const

/** A job that was rendered by the second attempt at its one task, with the objects of both. */
async function renderedJob(objects: ObjectStore, to: Settlement['to'] = 'completed') {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const job = { accountId, jobId }
  const outputs = ['segment-0', 'preview', 'output', 'thumbnail']
  await enterStage(db, { ...job, stage: 'resolve' })
  await addTask(db, { ...job, kind: jobId as 'render', outputs })
  const nodeId = await addNode(db, { kinds: [jobId] })
  const lease = { wants: [{ nodeId, slots: 1 }], leaseMs: 60_000, nodeLiveMs: 30_000 }
  const [first] = await leaseTasks(db, lease)
  if (!first) throw new Error('The task must be leased')
  const attempts = [{ taskId: first.id, attempt: first.attempt }]
  await handBackTasks(db, { nodeId, attempts })
  const [task] = await leaseTasks(db, lease)
  if (task?.attempt !== 2) throw new Error('The task must be leased twice')
  const { id: taskId } = task
  const key = (attempt: number, name: string) => taskOutputKey({ accountId, taskId, attempt, name })
  const keys = [1, 2].flatMap((attempt) => outputs.map((name) => key(attempt, name)))
  keys.push(planKey(job), ...[1, 2].map((attempt) => taskLogKey({ accountId, taskId, attempt })))
  for (const each of keys) await objects.put(each, Buffer.from('data'))
  await completeTask(db, { nodeId, taskId, attempt: 2, result: {} })
  const segment = key(2, 'segment-0')
  const artifact = { kind: 'segment', digest: digest(), bytes: 4, facts: {} } as const
  await putArtifact(db, { accountId, ...artifact, objectKey: segment })
  await enterStage(db, { ...job, stage: 'render', frames: { total: 100, reused: 0, painted: 100 } })
  const settlement: Settlement =
    to === 'completed'
      ? { to, result, outputKey: key(2, 'output'), thumbnailKey: key(2, 'thumbnail'), links }
      : to === 'failed'
        ? { to, error }
        : { to, charge: 0 }
  await settleJob(db, { ...job, reason: 'test', settlement })
  const left = async () => {
    const found = await Promise.all(keys.map(async (each) => (await objects.stat(each)) && each))
    return found.filter((each) => each !== undefined)
  }
  return { ...job, keys, segment, artifact, left, view: () => getJob(db, job) }
}

type Rendered = Awaited<ReturnType<typeof renderedJob>>

const daysLeft = async ({ view }: Rendered) =>
  Math.round((((await view())?.filesExpireAt?.getTime() ?? 0) - Date.now()) / 86_400_000)

async function expire(...jobs: Rendered[]) {
  await sql`
    update jobs set files_expire_at = now() - interval '1 second'
    where id = any(${jobs.map(({ jobId }) => jobId)}::uuid[])`.execute(db)
}

async function sweep(objects: Pick<ObjectStore, 'remove' | 'removePrefix'>) {
  while (await removeExpired({ db, objects }));
}

const timePasses = async (digest: string) =>
  await sql`
    update artifacts set last_used_at = now() - interval '8 days'
    where digest = ${digest}`.execute(db)

for (const [name, objects] of Object.entries({ directory, bucket })) {
  test.serial(`${name}: a job's files expire, its segments when unused`, async (t) => {
    await objects.prepare()
    const [job, other] = [await renderedJob(objects), await renderedJob(objects)]
    t.is(await daysLeft(job), 7)
    await sweep(objects)
    t.deepEqual(await job.left(), job.keys)
    t.is((await job.view())?.outputKey, job.keys[6])
    await expire(job)
    await sweep(objects)
    t.deepEqual(await job.left(), [job.segment])
    t.deepEqual(await other.left(), other.keys)
    const view = await job.view()
    t.true((view?.filesRemovedAt?.getTime() ?? 0) > 0)
    t.like(view, { state: 'completed', outputKey: null, thumbnailKey: null, previewKey: null })

    await timePasses(job.artifact.digest)
    await sweep(objects)
    t.deepEqual(await job.left(), [job.segment], 'a job that has just found it may still read it')
    await sql`update doomed_objects set not_before = now() - interval '1 second'`.execute(db)
    await sweep(objects)
    t.deepEqual(await job.left(), [])
    t.deepEqual(await other.left(), other.keys)
  })
}

test.serial('a job’s draft is removed with its files', async (t) => {
  const job = await renderedJob(directory)
  const spec = { bakes: [], encoder: 'libx264', draft: 'all of its words' }
  const own = db.updateTable('tasks').where('job_id', '=', job.jobId)
  await own.set({ kind: 'make', spec: JSON.stringify(spec) }).execute()
  await sweep(directory)
  const specs = async () => (await listTasksOfJob(db, job)).map((task) => task.spec)
  t.deepEqual(await specs(), [spec])
  await expire(job)
  await sweep(directory)
  t.deepEqual(await specs(), [{ bakes: [], encoder: 'libx264' }])
})

test.serial('a directory keeps no empty folders of removed tasks', async (t) => {
  const job = await renderedJob(directory)
  await timePasses(job.artifact.digest)
  await expire(job)
  await sweep(directory)
  await sql`update doomed_objects set not_before = now() - interval '1 second'`.execute(db)
  await sweep(directory)
  t.false(existsSync(join(home, 'directory/objects/accounts', job.accountId, 'tasks')))
})

test.serial('leftovers of failed and cancelled jobs go after a day', async (t) => {
  const jobs = [await renderedJob(directory, 'failed'), await renderedJob(directory, 'cancelled')]
  for (const job of jobs) t.is(await daysLeft(job), 1)
  await expire(...jobs)
  await sweep(directory)
  for (const job of jobs) t.deepEqual(await job.left(), [job.segment])
})

test.serial('a store that is away loses nothing of what is to go', async (t) => {
  const job = await renderedJob(directory)
  await expire(job)
  const away = {
    remove: async () => Promise.reject(new Error('away')),
    removePrefix: directory.removePrefix,
  }
  await t.throwsAsync(removeExpired({ db, objects: away }), { message: 'away' })
  t.is((await job.view())?.outputKey, null)
  t.deepEqual(await job.left(), job.keys)
  await sweep(directory)
  t.deepEqual(await job.left(), [job.segment])
})

test.serial('a turn takes a bounded number of jobs; several run at once', async (t) => {
  const accountId = await addAccount(db)
  const jobs: string[] = []
  for (let i = 0; i < 25; i += 1) {
    const jobId = await addJob(db, accountId)
    jobs.push(jobId)
    const settlement = { to: 'failed', error } as const
    await settleJob(db, { accountId, jobId, reason: 'test', settlement })
  }
  await sql`update jobs set files_expire_at = now() where account_id = ${accountId}`.execute(db)
  t.true(await removeExpired({ db, objects: directory }))
  const removed = async () => {
    const views = await Promise.all(jobs.map((jobId) => getJob(db, { accountId, jobId })))
    return views.filter((view) => view?.filesRemovedAt).length
  }
  t.is(await removed(), 20)
  await Promise.all([sweep(directory), sweep(directory), sweep(directory)])
  t.is(await removed(), 25)
})

test.serial('a replaced object is removed later, unless it is used again', async (t) => {
  const job = await renderedJob(directory)
  const { accountId, artifact, segment } = job
  await expire(job)
  await sweep(directory)
  const newer = `accounts/${accountId}/newer`
  await putArtifact(db, { accountId, ...artifact, objectKey: newer })
  const doomed = async () =>
    await db.selectFrom('doomed_objects').selectAll().where('object_key', '=', segment).execute()
  const days = ((await doomed())[0]?.not_before.getTime() ?? 0) - Date.now()
  t.is(Math.round(days / 86_400_000), 7)
  await putArtifact(db, { accountId, ...artifact, objectKey: segment })
  await sql`update doomed_objects set not_before = now() - interval '1 second'`.execute(db)
  await sweep(directory)
  t.deepEqual(await doomed(), [])
  t.deepEqual(await job.left(), [segment])
})
