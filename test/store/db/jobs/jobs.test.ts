import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import {
  isFinal,
  jobProgress,
  jobStages,
  jobStateOf,
  jobStates,
  mayMove,
} from '../../../../core/jobs/jobs.ts'
import { createKey, hashKey } from '../../../../store/db/accounts/create-key.ts'
import { findKey, findKeys } from '../../../../store/db/accounts/find-key.ts'
import { getArtifacts } from '../../../../store/db/artifacts/get-artifacts.ts'
import { addWarnings } from '../../../../store/db/jobs/add-warnings.ts'
import { getJob } from '../../../../store/db/jobs/get-job.ts'
import { jobsWithoutWorkflow } from '../../../../store/db/jobs/jobs-without-workflow.ts'
import { listJobs } from '../../../../store/db/jobs/list-jobs.ts'
import { markWorkflowStarted } from '../../../../store/db/jobs/mark-workflow-started.ts'
import { type Settlement, settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { listen } from '../../../../store/db/listen.ts'
import { addAccount, addJob, addTask, silent, startDatabase } from '../../database.ts'
import { enterStage, putArtifact } from './one-job.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)

test('a key opens its account until it is revoked', async (t) => {
  const accountId = await addAccount(db)
  const { id, key, prefix } = await createKey(db, { accountId, name: 'laptop' })
  t.regex(key, /^svc_[0-9a-f]{64}$/)
  t.true(key.startsWith(prefix))
  const holder = {
    keyId: id,
    accountId,
    plan: 'free',
    isSuspended: false,
    scopes: null,
    expiresAt: null,
    creditCap: null,
  }
  t.deepEqual(await findKey(db, hashKey(key)), holder)
  const stored = await db.selectFrom('api_keys').selectAll().where('id', '=', id).execute()
  t.is(stored.length, 1)
  t.false(JSON.stringify(stored).includes(key))
  t.is(await findKey(db, hashKey(`${key}0`)), undefined)
  await db.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', id).execute()
  t.is(await findKey(db, hashKey(key)), undefined)
})

test('keys that are looked up together open each its own account', async (t) => {
  const [one, other] = [await addAccount(db), await addAccount(db)]
  const [first, second, gone] = [
    await createKey(db, { accountId: one, name: 'first' }),
    await createKey(db, { accountId: other, name: 'second' }),
    await createKey(db, { accountId: other, name: 'gone' }),
  ]
  await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('id', '=', gone.id)
    .execute()
  const shown = [second.key, gone.key, first.key, 'unknown', second.key]
  const found = await findKeys(db, shown.map(hashKey))
  t.deepEqual(
    found.map((holder) => holder && [holder.accountId, holder.keyId]),
    [[other, second.id], undefined, [one, first.id], undefined, [other, second.id]],
  )
})

test('a job goes through its stages and shows its progress', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const ids = { accountId, jobId }
  t.like(await getJob(db, ids), { state: 'queued', stage: null, startedAt: null })
  t.is(await enterStage(db, { ...ids, stage: 'resolve' }), 'resolving')
  t.is(await enterStage(db, { ...ids, stage: 'bake' }), 'resolving')
  const frames = { total: 200, reused: 50, painted: 20 }
  t.is(await enterStage(db, { ...ids, stage: 'render', frames }), 'rendering')
  await addTask(db, ids)
  await db.updateTable('tasks').set({ frames_done: 50 }).where('job_id', '=', jobId).execute()
  const job = await getJob(db, ids)
  t.deepEqual(job?.frames, { total: 200, reused: 50, painted: 20, done: 50 })
  t.is(job && jobProgress(job), 50)
  t.is(job?.queuePosition, null)
  t.true(job?.startedAt instanceof Date)
  t.deepEqual(Object.keys(job?.stages ?? {}).sort(), ['bake', 'render', 'resolve'])
  const first = job?.stages.render
  await enterStage(db, { ...ids, stage: 'render' })
  t.is((await getJob(db, ids))?.stages.render, first)
})

const cancelled: Settlement = { to: 'cancelled', charge: 0 }
const failed: Settlement = {
  to: 'failed',
  error: { code: 'internal', message: 'It broke.', details: [] },
}
const completed: Settlement = {
  ...{ to: 'completed', outputKey: 'accounts/a/film', thumbnailKey: null },
  result: { duration: 1, size: 9, width: 2, height: 2 },
  links: { url: 'https://farm.example/film', thumbnailUrl: null },
}

test('a job ends where the table says and nowhere else', async (t) => {
  const accountId = await addAccount(db)
  for (const from of jobStates) {
    for (const settlement of [completed, failed, cancelled]) {
      const { to } = settlement
      const jobId = await addJob(db, accountId, 1)
      await db.updateTable('jobs').set({ state: from }).where('id', '=', jobId).execute()
      const settled = await settleJob(db, { accountId, jobId, reason: 'a test', settlement })
      t.is(settled?.settled, mayMove(from, to), `${from} to ${to}`)
      t.is(settled?.state, mayMove(from, to) ? to : from)
    }
  }
})

test('a stage moves a job only where the table says so', async (t) => {
  const accountId = await addAccount(db)
  for (const from of jobStates.filter((state) => !isFinal(state))) {
    for (const stage of jobStages) {
      const jobId = await addJob(db, accountId, 1)
      await db.updateTable('jobs').set({ state: from }).where('id', '=', jobId).execute()
      const to = jobStateOf(stage)
      const moves = to !== undefined && mayMove(from, to)
      t.is(
        await enterStage(db, { accountId, jobId, stage }),
        moves ? to : from,
        `${from}, ${stage}`,
      )
      const job = await getJob(db, { accountId, jobId })
      t.is(job?.stage, stage)
      t.is(job?.startedAt !== null, moves && to === 'resolving')
    }
  }
})

test('a stage entered after the end changes nothing', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  await settleJob(db, { accountId, jobId, reason: 'a test', settlement: cancelled })
  t.is(await enterStage(db, { accountId, jobId, stage: 'render' }), 'cancelled')
  t.like(await getJob(db, { accountId, jobId }), { state: 'cancelled', stage: null })
})

test("another account's job looks like none", async (t) => {
  const jobId = await addJob(db, await addAccount(db))
  const other = { accountId: await addAccount(db), jobId }
  t.is(await getJob(db, other), undefined)
  t.is(await settleJob(db, { ...other, reason: '', settlement: failed }), undefined)
  t.is(await enterStage(db, { ...other, stage: 'resolve' }), undefined)
  t.deepEqual(await listJobs(db, { accountId: other.accountId, page: 1, pageSize: 10 }), {
    jobs: [],
    total: 0,
  })
})

test('jobs are listed newest first, by page and by state', async (t) => {
  const accountId = await addAccount(db)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.unshift(await addJob(db, accountId, 1))
  const [newest = ''] = ids
  await settleJob(db, { accountId, jobId: newest, reason: '', settlement: failed })
  const page = await listJobs(db, { accountId, page: 2, pageSize: 2 })
  t.deepEqual(
    page.jobs.map(({ id }) => id),
    ids.slice(2, 4),
  )
  t.is(page.total, 5)
  const found = await listJobs(db, { accountId, states: ['failed'], page: 1, pageSize: 2 })
  t.deepEqual(
    found.jobs.map(({ id }) => id),
    [newest],
  )
  t.is(found.total, 1)
})

test('a job without a workflow is found until its workflow is known', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const unstarted = async () =>
    (await jobsWithoutWorkflow(db, { graceMs: 0, limit: 10_000 })).some(({ id }) => id === jobId)
  t.true(await unstarted())
  t.deepEqual(await jobsWithoutWorkflow(db, { graceMs: 3_600_000, limit: 10 }), [])
  await markWorkflowStarted(db, { accountId, jobId })
  t.false(await unstarted())
})

test('an artifact is found by its account only; the newest object stands', async (t) => {
  const [accountId, other] = [await addAccount(db), await addAccount(db)]
  const [digest, missing] = ['a', 'b'].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  ) as [string, string]
  const kind = 'media'
  const facts = { kind: 'image', width: 3 }
  await putArtifact(db, { accountId, kind, digest, objectKey: 'accounts/a/1', bytes: 1, facts })
  await putArtifact(db, { accountId, kind, digest, objectKey: 'accounts/a/2', bytes: 2, facts })
  const digests = [digest, missing]
  const found = await getArtifacts(db, { accountId, kind, digests })
  t.deepEqual([...found], [[digest, { digest, objectKey: 'accounts/a/2', bytes: 2, facts }]])
  t.is((await getArtifacts(db, { accountId: other, kind, digests })).size, 0)
  t.is((await getArtifacts(db, { accountId, kind: 'segment', digests })).size, 0)
})

test('a listener hears a task, also after its connection was cut', async (t) => {
  const heard: (string | undefined)[] = []
  let wake = () => {}
  /** Waits for `kind` after the first `from`; notices of other tests come in between. */
  const hears = async (kind: string | undefined, from: number) => {
    const payload = kind && `{"kind" : "${kind}", "pool" : null, "tasks" : 1}`
    while (!heard.slice(from).includes(payload))
      await new Promise<void>((resolve) => (wake = resolve))
    return heard.indexOf(payload, from) + 1
  }
  const stopListening = listen({
    url,
    channel: 'tasks',
    log: silent,
    onNotify: (payload) => {
      heard.push(payload)
      wake()
    },
  })
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const connected = await hears(undefined, 0)
  await addTask(db, { accountId, jobId, kind: 'still' })
  const first = await hears('still', connected)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where query = 'listen tasks' and datname = current_database()`.execute(db)
  const again = await hears(undefined, first)
  await addTask(db, { accountId, jobId, kind: 'bake', name: randomUUID() })
  await hears('bake', again)
  await stopListening()
  t.is(heard.filter((payload) => payload === undefined).length, 2)
})

test('a character missed at submission is not told again by the bake', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const told = (field: string, message: string) => ({
    ...{ field, message },
    code: 'missing_glyph' as const,
  })
  const first = told('visuals[0]', 'of the request')
  const other = told('visuals[1]', 'of the bake')
  await addWarnings(db, { accountId, jobId, warnings: [first] })
  await addWarnings(db, { accountId, jobId, warnings: [told('visuals[0]', 'of the bake'), other] })
  t.deepEqual((await getJob(db, { accountId, jobId }))?.warnings, [first, other])
})
