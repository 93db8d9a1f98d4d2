import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import { openDatabase } from '../../../store/db/database.ts'
import { cancelJob } from '../../../store/db/jobs/cancel-job.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import { listQuietJobs } from '../../../store/db/jobs/list-quiet-jobs.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import { createActivities } from '../../../workflows/stages/activities.ts'
import { addAccount, addBulk, silent } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { words } from '../films.ts'
import { startPaperNode } from '../paper-node.ts'
import { startStages, tasksOf } from '../stages.ts'

const { db, url, objects, context, stages, stop } = await startStages()
const node = await startPaperNode({ db, objects })

test.after.always(async () => {
  await node.stop()
  await stop()
})

async function submit(accountId: string, html: string): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const payload = { type: 'image', width: 320, height: 180, visuals: [words(html)] }
  const job = { id: jobId, accountId, type: 'image' as const, name: 'still', credits: 10 }
  await insertJobWithHold(db, { ...job, request: { payload } })
  return { accountId, jobId }
}

async function waitForTasks(job: RenderJobInput): Promise<void> {
  while ((await listTasksOfJob(db, job)).some(({ outcome }) => outcome === undefined)) {
    await sleep(10)
  }
}

async function renderWhole(job: RenderJobInput): Promise<void> {
  await stages.prepareInputs(job)
  await waitForTasks(job)
  await stages.render(job)
  await waitForTasks(job)
  await stages.settle({ ...job, end: { to: 'completed' } })
}

async function creditsOf(accountId: string) {
  return await db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}

test('a job with a stored file completes in one step', async (t) => {
  const accountId = await addAccount(db)
  await renderWhole(await submit(accountId, 'kept'))
  const job = await submit(accountId, 'kept')
  const next = await stages.prepareInputs(job)
  t.deepEqual(next, { wait: 'nothing', settled: { endsBulk: false } })
  const ended = await getJob(db, job)
  t.is(ended?.state, 'completed')
  t.deepEqual(Object.keys(ended?.stages ?? {}).toSorted(), [
    'assemble',
    'plan',
    'resolve',
    'settle',
  ])
  t.is(ended?.creditsCharged, 1)
  t.deepEqual(await creditsOf(accountId), { balance: 998, reserved: 0 })
  t.truthy(await objects.stat(ended?.outputKey ?? 'none'))
  await t.throwsAsync(stages.prepareInputs(job), { message: 'The job has ended' })
  t.deepEqual(await creditsOf(accountId), { balance: 998, reserved: 0 })
})

test('another account’s file is not reused', async (t) => {
  const [one, other] = [await addAccount(db), await addAccount(db)]
  await renderWhole(await submit(one, 'of one account'))
  const next = await stages.prepareInputs(await submit(other, 'of one account'))
  t.like(next, { wait: 'tasks', resume: 'render' })
  t.is(tasksOf(next).length, 1)
})

test('a job cancelled within the step stays cancelled and costs nothing', async (t) => {
  const accountId = await addAccount(db)
  await renderWhole(await submit(accountId, 'cancelled'))
  const job = await submit(accountId, 'cancelled')
  const cancelling = createActivities({
    ...context,
    objects: {
      ...objects,
      async copy(from, to) {
        await cancelJob(db, { ...job, reason: 'a test' })
        await objects.copy(from, to)
      },
    },
  })
  await cancelling.prepareInputs(job)
  t.is((await getJob(db, job))?.state, 'cancelled')
  t.deepEqual(await creditsOf(accountId), { balance: 999, reserved: 0 })
})

test('a job that is cancelled while it is gathered gets no tasks', async (t) => {
  const accountId = await addAccount(db)
  const painted = await submit(accountId, 'painted before')
  await stages.prepareInputs(painted)
  await waitForTasks(painted)
  await stages.render(painted)
  const job = await submit(accountId, 'painted before')
  const cancelling = createActivities({
    ...context,
    objects: {
      ...objects,
      async put(key, body) {
        await cancelJob(db, { ...job, reason: 'a test' })
        await objects.put(key, body)
      },
    },
  })
  const next = await cancelling.prepareInputs(job)
  t.deepEqual(tasksOf(next), [{ name: 'still', end: { state: 'cancelled' } }])
  t.deepEqual(await listTasksOfJob(db, job), [])
})

test('a preparation repeated after rendering began finds what was begun', async (t) => {
  const accountId = await addAccount(db)
  const painted = await submit(accountId, 'twice')
  await stages.prepareInputs(painted)
  await waitForTasks(painted)
  await stages.render(painted)
  const job = await submit(accountId, 'twice')
  const first = await stages.prepareInputs(job)
  t.deepEqual(
    tasksOf(first).map(({ name }) => name),
    ['still'],
  )
  await waitForTasks(job)
  const again = await stages.prepareInputs(job)
  t.deepEqual(tasksOf(again), [{ name: 'still', end: { state: 'completed' } }])
  t.is((await listTasksOfJob(db, job)).length, 1)
})

test('bulk jobs that Temporal may have started are not started twice', async (t) => {
  const accountId = await addAccount(db)
  const ids = [randomUUID(), randomUUID(), randomUUID()]
  const { id: bulkId } = await addBulk(db, { accountId, ids })
  const longAgo = new Date(Date.now() - 120_000)
  const touched = (at: Date) =>
    sql`update jobs set updated_at = ${at} where bulk_id = ${bulkId}`.execute(db)
  const quiet = async () => {
    const jobs = await listQuietJobs(db, { quietMs: 30_000, limit: 100 })
    return jobs.filter(({ accountId: of }) => of === accountId)
  }
  await touched(longAgo)
  const failing = createActivities({
    ...context,
    async startGroup() {
      t.deepEqual(await quiet(), [])
      throw new Error('Temporal is away')
    },
  })
  await t.throwsAsync(failing.startNextOfBulk({ accountId, bulkId }), { message: /is away/ })
  const starting = createActivities({
    ...context,
    async startGroup() {
      t.fail('they were begun')
    },
  })
  t.deepEqual(await starting.startNextOfBulk({ accountId, bulkId }), { open: 3 })
  await touched(longAgo)
  t.is((await quiet()).length, 3)
})

test('the stages’ frequent statements are planned once a connection', async (t) => {
  const one = openDatabase({ url, log: silent, connections: 1, prepared: true })
  t.teardown(() => one.destroy())
  const asking = createActivities({ ...context, db: one })
  const accountId = await addAccount(db)
  await renderWhole(await submit(accountId, 'planned'))
  await asking.prepareInputs(await submit(accountId, 'planned'))
  const statements = async () => {
    const { rows } = await sql<{ name: string; plans: number }>`
      select name, generic_plans as plans from pg_prepared_statements`.execute(one)
    return new Map(rows.map(({ name, plans }) => [name, plans]))
  }
  const known = await statements()
  t.is(known.get('enter-stages'), 4)
  await asking.prepareInputs(await submit(accountId, 'planned'))
  t.deepEqual([...(await statements()).keys()].toSorted(), [...known.keys()].toSorted())
})
