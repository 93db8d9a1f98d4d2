import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import { claimSegments } from '../../../../store/db/artifacts/claim-segments.ts'
import { endClaimsOfJobs } from '../../../../store/db/artifacts/end-claims-of-jobs.ts'
import { getArtifacts } from '../../../../store/db/artifacts/get-artifacts.ts'
import { putArtifacts } from '../../../../store/db/artifacts/put-artifacts.ts'
import { cancelJob } from '../../../../store/db/jobs/cancel-job.ts'
import { enterStages } from '../../../../store/db/jobs/enter-stages.ts'
import { getJob } from '../../../../store/db/jobs/get-job.ts'
import { getSubmissions } from '../../../../store/db/jobs/get-submissions.ts'
import { insertJobsWithHold, storableJob } from '../../../../store/db/jobs/insert-jobs-with-hold.ts'
import { type Settling, settleJobs } from '../../../../store/db/jobs/settle-jobs.ts'
import { touchJobs } from '../../../../store/db/jobs/touch-jobs.ts'
import { enqueueTasks, type NewTask } from '../../../../store/db/queue/enqueue-tasks.ts'
import { listTasksOfJobs } from '../../../../store/db/queue/list-tasks-of-jobs.ts'
import { addAccount, addBulk, addJob, startDatabase } from '../../database.ts'
import { webhookRows } from '../webhooks/webhook-rows.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const completed = {
  to: 'completed',
  result: { duration: 1, size: 10, width: 320, height: 180 },
  outputKey: 'accounts/a/film',
  thumbnailKey: null,
  links: { url: 'https://farm.example/film', thumbnailUrl: null },
} as const
const failed = {
  to: 'failed',
  error: { code: 'media_invalid', message: 'The picture is broken.', details: [] },
} as const

async function balanceOf(accountId: string) {
  return await db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}

async function entriesOf(jobId: string) {
  const { rows } = await sql<{ kind: string; balance: number; reserved: number }>`
    select kind, balance_change as balance, reserved_change as reserved from credit_entries
    where job_id = ${jobId} and kind <> 'hold' order by id`.execute(db)
  return rows
}

function task(jobId: string, given: Partial<NewTask> = {}): NewTask {
  return {
    ...{ jobId, name: 'render-0', kind: 'render', spec: {}, inputs: [], outputs: ['segment-0'] },
    ...{ requirements: {}, cost: 3, framesTotal: 10, token: randomBytes(8), ...given },
  }
}

test('a batch’s copies of a job make one, whatever plan Postgres chooses', async (t) => {
  const accountId = await addAccount(db)
  for (const join of ['hashjoin', 'mergejoin', 'nestloop']) {
    const [id, submissionId] = [randomUUID(), randomUUID()]
    const job = { id, accountId, type: 'video', name: 'film', credits: 10, submissionId } as const
    const copy = storableJob({ ...job, request: { payload: {} } })
    const off = ['hashjoin', 'mergejoin', 'nestloop'].filter((each) => each !== join)
    const inserted = await db.connection().execute(async (connection) => {
      for (const each of off) await sql.raw(`set enable_${each} = off`).execute(connection)
      const done = await insertJobsWithHold(connection, [copy, copy, copy])
      for (const each of off) await sql.raw(`reset enable_${each}`).execute(connection)
      return done
    })
    t.deepEqual(new Set(inserted.map(({ outcome }) => outcome)), new Set(['inserted']), join)
  }
  t.like(await balanceOf(accountId), { reserved: 30 })
})

test('a repeated submission waits for its job’s end without a deadlock', async (t) => {
  const accountId = await addAccount(db)
  const [id, submissionId] = [randomUUID(), randomUUID()]
  const job = { id, accountId, type: 'video', name: 'film', credits: 10, submissionId } as const
  const copy = storableJob({ ...job, request: { payload: {} } })
  await insertJobsWithHold(db, [copy])
  // Settling locks the job, then the account.
  const whileEnding = async <Result>(submit: () => Promise<Result>) => {
    const ending = await db.startTransaction().execute()
    // Postgres ends the submission.
    await sql`set local deadlock_timeout = '60s'`.execute(ending)
    await sql`update jobs set state = 'failed', bulk_index = null, finished_at = now(),
      created_at = created_at - interval '1 second' where id = ${id}`.execute(ending)
    const submitted = submit()
    await setTimeout(300)
    await sql`update accounts set credits_reserved = credits_reserved where id = ${accountId}`.execute(
      ending,
    )
    await ending.commit().execute()
    return await submitted
  }
  const [repeated] = await whileEnding(() => insertJobsWithHold(db, [copy]))
  t.is(repeated?.outcome, 'inserted')
  const bulked = await whileEnding(() => addBulk(db, { accountId, ids: [id, randomUUID()] }))
  t.truthy(bulked)
  t.like(await balanceOf(accountId), { reserved: 15 })
})

test('several jobs each come to their own stage, another account’s to none', async (t) => {
  const accountId = await addAccount(db)
  const strange = { accountId: await addAccount(db), jobId: '' }
  strange.jobId = await addJob(db, strange.accountId)
  const [resolving, rendering, ended] = await Promise.all(
    [1, 2, 3].map(() => addJob(db, accountId)),
  )
  const jobIds = [resolving, rendering, ended].map((id) => id ?? '')
  const [first = '', second = '', third = ''] = jobIds
  await enterStages(db, { accountId, entries: [{ jobId: second, stage: 'resolve' }] })
  await cancelJob(db, { accountId, jobId: third, reason: 'a test' })
  const frames = { total: 90, reused: 30, painted: 60 }
  t.deepEqual(
    await enterStages(db, {
      accountId,
      entries: [
        { jobId: strange.jobId, stage: 'resolve' },
        { jobId: third, stage: 'settle' },
        { jobId: second, stage: 'render', frames, awaited: ['one', 'two'] },
        { jobId: first, stage: 'resolve' },
      ],
    }),
    [undefined, 'cancelled', 'rendering', 'resolving'],
  )
  t.like(await getJob(db, { accountId, jobId: first }), { stage: 'resolve', state: 'resolving' })
  t.like(await getJob(db, { accountId, jobId: second }), { stage: 'render', frames })
  t.like(await getJob(db, { accountId, jobId: third }), { stage: null, state: 'cancelled' })
  t.like(await getJob(db, strange), { stage: null, state: 'queued' })
  const { awaited_segments: awaited } = await db
    .selectFrom('jobs')
    .select('awaited_segments')
    .where('id', '=', second)
    .executeTakeFirstOrThrow()
  t.deepEqual(awaited, ['one', 'two'])
})

test('several jobs settle separately in one batch; ended ones stay', async (t) => {
  const accountId = await addAccount(db, 1000)
  const stranger = await addAccount(db, 1000)
  const strange = await addJob(db, stranger, 10)
  const ids = await Promise.all([1, 2, 3, 4].map(() => addJob(db, accountId, 10)))
  const [done = '', broken = '', stopped = '', all = ''] = ids
  const entries = ids.map((jobId) => ({ jobId, stage: 'render' as const }))
  await enterStages(db, { accountId, entries: ids.map((jobId) => ({ jobId, stage: 'resolve' })) })
  await enterStages(db, { accountId, entries })
  await cancelJob(db, { accountId, jobId: stopped, reason: 'a test' })
  const settlings: Settling[] = [
    { jobId: strange, reason: 'rendered', settlement: completed },
    { jobId: done, reason: 'rendered', settlement: { ...completed, charge: 4 } },
    { jobId: stopped, reason: 'rendered', settlement: completed },
    { jobId: broken, reason: 'media_invalid', settlement: failed },
    { jobId: all, reason: 'rendered', settlement: { ...completed, charge: 99 } },
  ]
  const answers = await settleJobs(db, { accountId, settlings })
  t.deepEqual(
    answers.map((answer) => answer && [answer.settled, answer.state]),
    [undefined, [true, 'completed'], [false, 'cancelled'], [true, 'failed'], [true, 'completed']],
  )
  t.deepEqual(await balanceOf(accountId), { balance: 986, reserved: 0 })
  t.deepEqual(await balanceOf(stranger), { balance: 1000, reserved: 10 })
  t.deepEqual(await entriesOf(done), [
    { kind: 'capture', balance: -4, reserved: -4 },
    { kind: 'release', balance: 0, reserved: -6 },
  ])
  t.deepEqual(await entriesOf(broken), [{ kind: 'release', balance: 0, reserved: -10 }])
  t.deepEqual(await entriesOf(all), [{ kind: 'capture', balance: -10, reserved: -10 }])
  t.like(await getJob(db, { accountId, jobId: done }), { creditsCharged: 4, error: null })
  t.like(await getJob(db, { accountId, jobId: broken }), { result: null, error: failed.error })
  t.like(await getJob(db, { accountId: stranger, jobId: strange }), { state: 'queued' })
  const again = await settleJobs(db, { accountId, settlings })
  t.true(again.every((answer) => !answer?.settled))
  t.deepEqual(await balanceOf(accountId), { balance: 986, reserved: 0 })
})

test('each end of a batch reaches its account’s endpoints', async (t) => {
  const accountId = await addAccount(db)
  await webhookRows(db).addWebhook(accountId, ['render.failed'])
  const [done = '', broken = ''] = [await addJob(db, accountId), await addJob(db, accountId)]
  await db
    .updateTable('jobs')
    .set({ state: 'rendering', webhook_url: 'https://example.com/own' })
    .where('id', '=', done)
    .execute()
  await settleJobs(db, {
    accountId,
    settlings: [
      { jobId: done, reason: '', settlement: completed },
      { jobId: broken, reason: '', settlement: failed },
    ],
  })
  const told = await db
    .selectFrom('webhook_deliveries')
    .select(['job_id', 'event', 'url'])
    .where('account_id', '=', accountId)
    .orderBy('event')
    .execute()
  t.deepEqual(told, [
    { job_id: done, event: 'render.completed', url: 'https://example.com/own' },
    { job_id: broken, event: 'render.failed', url: null },
  ])
})

test('tasks of several jobs queue as if they had come in turn', async (t) => {
  const [queries, oneByOne] = [await addAccount(db), await addAccount(db)]
  const costs = [3, 5, 1, 8]
  const startsOf = async (accountId: string) => {
    const { rows } = await sql<{ start: number }>`
      select virtual_start as start from tasks where account_id = ${accountId}
      order by virtual_start`.execute(db)
    return rows.map(({ start }) => start)
  }
  const tasksOf = async (accountId: string) =>
    await Promise.all(costs.map(async (cost) => task(await addJob(db, accountId), { cost })))
  const answers = await enqueueTasks(db, {
    ...{ accountId: queries, tasks: await tasksOf(queries) },
  })
  t.true(answers.every((answer) => 'live' in answer && answer.live))
  for (const each of await tasksOf(oneByOne)) {
    await enqueueTasks(db, { accountId: oneByOne, tasks: [each] })
  }
  const starts = await startsOf(queries)
  t.is(starts.length, costs.length)
  t.deepEqual(starts, await startsOf(oneByOne))
})

test('a batch of tasks skips cancelled jobs and refuses another account’s', async (t) => {
  const accountId = await addAccount(db)
  const stranger = await addAccount(db)
  const strange = await addJob(db, stranger)
  const [open = '', stopped = ''] = [await addJob(db, accountId), await addJob(db, accountId)]
  await cancelJob(db, { accountId, jobId: stopped, reason: 'a test' })
  const token = Buffer.from('the last word')
  const enqueue = async (tasks: readonly NewTask[]) => await enqueueTasks(db, { accountId, tasks })
  const [first] = await enqueue([task(open)])
  const answers = await enqueue([task(strange), task(stopped), task(open, { token })])
  t.true(answers[0] instanceof Error)
  t.deepEqual(answers.slice(1), [{ live: false, outcome: { state: 'cancelled' } }, first])
  t.is((await listTasksOfJobs(db, { accountId: stranger, jobIds: [strange] }))[0]?.length, 0)
  const rows = await db
    .selectFrom('tasks')
    .select('task_token')
    .where('job_id', '=', open)
    .execute()
  t.deepEqual(rows, [{ task_token: token }])
})

test('batched reads answer each job, within its own account only', async (t) => {
  const accountId = await addAccount(db)
  const ids = [randomUUID(), randomUUID()]
  await addBulk(db, { accountId, ids })
  const strange = await addJob(db, await addAccount(db))
  const [second, other, first] = await getSubmissions(db, {
    ...{ accountId, jobIds: [ids[1] ?? '', strange, ids[0] ?? ''] },
  })
  t.is(other, undefined)
  t.like(first?.request, { payload: { name: 'card' }, variables: { a: 1, b: 0 } })
  t.like(second?.request, { payload: { name: 'card' }, variables: { a: 1, b: 1 } })
})

test('objects of several jobs are noted together, the earlier ones are doomed', async (t) => {
  const [accountId, other] = [await addAccount(db), await addAccount(db)]
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)]
  const noted = (objectKey: string, digest: string) => {
    return { kind: 'bake' as const, digest, objectKey, bytes: 1, facts: { from: objectKey } }
  }
  await putArtifacts(db, { accountId: other, artifacts: [noted('theirs', one)] })
  await putArtifacts(db, { accountId, artifacts: [noted('before', one)] })
  await putArtifacts(db, { accountId, artifacts: [noted('second', two), noted('first', one)] })
  const keysOf = async (account: string) =>
    [
      ...(
        await getArtifacts(db, { accountId: account, kind: 'bake', digests: [one, two] })
      ).values(),
    ]
      .map(({ objectKey }) => objectKey)
      .toSorted()
  t.deepEqual(await keysOf(accountId), ['first', 'second'])
  t.deepEqual(await keysOf(other), ['theirs'])
  const doomed = await db.selectFrom('doomed_objects').select('object_key').execute()
  t.deepEqual(doomed, [{ object_key: 'before' }])
})

test('claims of several jobs end, and those of another account stay', async (t) => {
  const [accountId, stranger] = [await addAccount(db), await addAccount(db)]
  const jobs = [await addJob(db, accountId), await addJob(db, accountId)]
  const strange = await addJob(db, stranger)
  for (const [at, jobId] of jobs.entries()) {
    await claimSegments(db, { accountId, jobId, fingerprints: [`segment ${at}`] })
  }
  await claimSegments(db, { accountId: stranger, jobId: strange, fingerprints: ['theirs'] })
  await endClaimsOfJobs(db, { accountId, jobIds: [...jobs, strange] })
  const left = await db.selectFrom('segment_claims').select('fingerprint').execute()
  t.deepEqual(left, [{ fingerprint: 'theirs' }])
})

test('entering stages and touching jobs cannot deadlock', async (t) => {
  const accountId = await addAccount(db)
  const jobIds = await Promise.all(Array.from({ length: 12 }, () => addJob(db, accountId)))
  const entries = jobIds.map((jobId) => ({ jobId, stage: 'resolve' as const }))
  for (let turn = 0; turn < 20; turn += 1) {
    const acts = [1, 2, 3].flatMap(() => [
      touchJobs(db, jobIds),
      enterStages(db, { accountId, entries }),
    ])
    await t.notThrowsAsync(Promise.all(acts))
  }
})

test('new shapes in different orders cannot deadlock', async (t) => {
  const accounts = [await addAccount(db), await addAccount(db)]
  const jobIds = await Promise.all(accounts.map((accountId) => addJob(db, accountId)))
  for (let turn = 0; turn < 10; turn += 1) {
    const needs = [1, 2, 3, 4].map((nth) => ({ memoryMb: 10 * turn + nth }))
    const acts = accounts.map((accountId, at) => {
      const ordered = at === 0 ? needs : needs.toReversed()
      const tasks = ordered.map((requirements, nth) =>
        task(jobIds[at] ?? '', { name: `render-${turn}-${nth}`, requirements }),
      )
      return enqueueTasks(db, { accountId, tasks })
    })
    await t.notThrowsAsync(Promise.all(acts))
  }
})
