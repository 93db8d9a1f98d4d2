import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import test from 'ava'
import { sql } from 'kysely'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import { forgetPreviews } from '../../../store/db/previews/forget-previews.ts'
import { insertPreview } from '../../../store/db/previews/insert-preview.ts'
import { listLatePreviews } from '../../../store/db/previews/list-late-previews.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { addAccount } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { startPaperNode } from '../paper-node.ts'
import { startStages, tasksOf } from '../stages.ts'

const { db, objects, stages, stop } = await startStages()
const kinds: TaskKind[] = ['ingest', 'bake', 'render', 'assemble', 'still', 'make', 'sheet']
const node = await startPaperNode({ db, objects, kinds })

test.after.always(async () => {
  await node.stop()
  await stop()
})

const photo = { type: 'IMAGE', src: 'https://example.com/photo.png' }
const text = { type: 'TEXT', html: '<b>Hello</b>' }
const film = { width: 320, height: 180, duration: 4, visuals: [photo, text] }
const clip = { type: 'VIDEO', src: 'https://example.com/clip.mp4' }

async function preview(
  accountId: string,
  {
    payload = film,
    times,
    width,
    refresh,
  }: { payload?: object; times?: number[]; width?: number; refresh?: boolean } = {},
): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const type = 'type' in payload ? ('image' as const) : ('video' as const)
  const made = await insertPreview(
    db,
    {
      ...{ id: jobId, accountId, type, name: 'film', request: { payload }, warnings: [] },
      templateId: undefined,
      preview: {
        ...{ fingerprint: jobId.replaceAll('-', '').repeat(2), maxBytes: 27_000 },
        ...(times && { times }),
        ...(width && { width }),
        ...(refresh && { refresh }),
      },
    },
    { atOnce: 10 },
  )
  if (made.outcome !== 'inserted') throw new Error(made.outcome)
  return { accountId, jobId }
}

async function render(accountId: string): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const job = { id: jobId, accountId, type: 'video' as const, name: 'film', credits: 4 }
  await insertJobWithHold(db, { ...job, request: { payload: film } })
  return { accountId, jobId }
}

/** Waits for the job's tasks. */
async function done(job: RenderJobInput) {
  for (;;) {
    const tasks = await listTasksOfJob(db, job)
    if (tasks.every(({ outcome }) => outcome !== undefined)) return tasks
    await sleep(10)
  }
}

/** Takes a preview to its end. */
async function paint(job: RenderJobInput) {
  await stages.prepareInputs(job)
  await done(job)
  const next = await stages.render(job)
  if (next.wait !== 'tasks') throw new Error(`It must paint. Got ${next.wait}`)
  const tasks = await done(job)
  await stages[next.resume === 'settle' ? 'settle' : 'assemble']({
    ...job,
    end: { to: 'completed' },
  })
  return tasks
}

test('a preview ends as one sheet, costs nothing and claims no segment', async (t) => {
  const accountId = await addAccount(db, 10)
  const job = await preview(accountId, { times: [0, 1.5, 4] })
  const tasks = await paint(job)
  t.deepEqual(tasks.map(({ kind }) => kind).sort(), ['bake', 'ingest', 'sheet'].sort())
  const sheet = tasks.find(({ kind }) => kind === 'sheet')
  const moments = [
    { seconds: 0, frame: 0 },
    { seconds: 1.5, frame: 45 },
    { seconds: 4, frame: 119 },
  ]
  t.like(sheet?.spec, { moments, hasTimes: true, frame: { width: 160, height: 90 } })
  t.is(sheet?.inputs.length, 3, 'the plan, the photo and the text')
  const ended = await getJob(db, job)
  t.like(ended, { state: 'completed', creditsCharged: 0 })
  t.deepEqual(
    ended?.result?.sheet?.frames.map(({ time }) => time),
    [0, 1.5, 4],
  )
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from credit_entries where job_id = ${job.jobId}) as entries,
      (select count(*)::int from segment_claims where job_id = ${job.jobId}) as claims,
      (select credits_balance from accounts where id = ${accountId}) as balance`.execute(db)
  t.deepEqual(rows, [{ entries: 0, claims: 0, balance: 10 }])
})

test('the render that follows fetches and bakes nothing again', async (t) => {
  const accountId = await addAccount(db, 10)
  await paint(await preview(accountId))
  const job = await render(accountId)
  const next = await stages.prepareInputs(job)
  t.deepEqual(
    tasksOf(next).map(({ name }) => name.replace(/-.*/, '')),
    ['render'],
  )
})

test('another preview fetches nothing again, unless it is to be refreshed', async (t) => {
  const accountId = await addAccount(db, 10)
  await paint(await preview(accountId))
  const kinds = async (refresh: boolean) => {
    const job = await preview(accountId, { times: [1], refresh })
    await stages.prepareInputs(job)
    return (await done(job)).map(({ kind }) => kind)
  }
  t.deepEqual(await kinds(false), ['sheet'])
  t.deepEqual(await kinds(true), ['ingest'])
})

test('a preview’s media are asked for again after a quarter hour', async (t) => {
  const accountId = await addAccount(db, 10)
  await paint(await preview(accountId))
  await sql`update fetched_media set fresh_until = fresh_until - interval '15 minutes',
    asked_at = asked_at - interval '15 minutes' where account_id = ${accountId}`.execute(db)
  const job = await render(accountId)
  const next = await stages.prepareInputs(job)
  t.true(tasksOf(next).some(({ name }) => name.startsWith('ingest-')))
})

test('a repeated step finds the sheet that is queued', async (t) => {
  const accountId = await addAccount(db, 10)
  const job = await preview(accountId)
  await stages.prepareInputs(job)
  await done(job)
  await stages.render(job)
  await stages.render(job)
  t.is((await done(job)).filter(({ kind }) => kind === 'sheet').length, 1)
  const again = await stages.prepareInputs(job)
  t.is(again.wait === 'tasks' && again.resume, 'settle')
})

test('a time beyond an open film’s clip is refused by its place', async (t) => {
  const accountId = await addAccount(db, 10)
  const payload = { width: 320, height: 180, scenes: [{ duration: -1, visuals: [clip] }] }
  const job = await preview(accountId, { payload, times: [9, 11] })
  await stages.prepareInputs(job)
  await done(job)
  const error = await t.throwsAsync(stages.render(job), { instanceOf: ApplicationFailure })
  t.is(error?.type, 'invalid_value')
  t.is(error?.message, 'times[1] must be within the film, which is 10 s long. Got 11')
  t.like(error?.details?.[0], [{ field: 'times[1]' }])
})

test('a still is shown alone, without a time', async (t) => {
  const accountId = await addAccount(db, 10)
  const payload = { type: 'image', width: 320, height: 180, visuals: [photo] }
  const tasks = await paint(await preview(accountId, { payload }))
  const sheet = tasks.find(({ kind }) => kind === 'sheet')
  t.like(sheet?.spec, { moments: [{ seconds: 0, frame: 0 }], hasTimes: false })
})

test('a frame never has more than half of the canvas', async (t) => {
  const accountId = await addAccount(db, 10)
  for (const [canvas, width, frame] of [
    [{ width: 400, height: 300 }, 480, { width: 200, height: 150 }],
    [{ width: 320, height: 320 }, undefined, { width: 160, height: 160 }],
    [{ width: 64, height: 64 }, undefined, { width: 32, height: 32 }],
  ] as const) {
    const payload = { type: 'image', ...canvas, visuals: [photo] }
    const asked = { payload, ...(width && { width }) }
    const tasks = await paint(await preview(accountId, asked))
    const sheet = tasks.find(({ kind }) => kind === 'sheet')
    t.like(sheet?.spec, { frame })
  }
})

test('a preview that takes ten minutes is found by the sweeper', async (t) => {
  const accountId = await addAccount(db, 10)
  const { jobId } = await preview(accountId)
  const late = async () =>
    (await listLatePreviews(db, { limit: 100 })).filter((job) => job.accountId === accountId)
  t.deepEqual(await late(), [])
  await sql`update jobs set created_at = now() - interval '601 seconds' where id = ${jobId}`.execute(
    db,
  )
  t.deepEqual(await late(), [{ jobId, accountId }])
})

test('a sheet lasts an hour, its job a day more; media stay', async (t) => {
  const accountId = await addAccount(db, 10)
  const job = await preview(accountId)
  await paint(job)
  const { rows } = await sql<{ key: string; minutes: number }>`
    select output_key as key, extract(epoch from files_expire_at - finished_at)::int / 60 as minutes
    from jobs where id = ${job.jobId}`.execute(db)
  const { key = '', minutes } = rows[0] ?? {}
  t.is(minutes, 60)
  t.truthy(await objects.stat(key))
  await sql`update jobs set files_expire_at = now() where id = ${job.jobId}`.execute(db)
  while (await removeExpired({ db, objects }));
  t.is(await objects.stat(key), undefined)
  t.is(await forgetPreviews(db, { limit: 10 }), 0)
  await sql`update jobs set files_removed_at = now() - interval '25 hours' where id = ${job.jobId}`.execute(
    db,
  )
  t.is(await forgetPreviews(db, { limit: 10 }), 1)
  t.is(await getJob(db, job), undefined)
  t.deepEqual(await listTasksOfJob(db, job), [])
  const next = await stages.prepareInputs(await render(accountId))
  t.false(tasksOf(next).some(({ name }) => name.startsWith('ingest-')))
})

/** All rows of all tables, as a dump has them. */
async function dump(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(db)
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.table(name)} t`.execute(db)
      return rows.map(({ row }) => `${name}: ${row}`).join('\n')
    }),
  )
  return texts.join('\n')
}

test('an ended preview keeps nothing of its request', async (t) => {
  const accountId = await addAccount(db)
  const secret = {
    ...film,
    visuals: [
      { type: 'IMAGE', src: 'https://example.com/secret-photo.png?token=secret-query' },
      { type: 'TEXT', html: '<b>secret words</b>' },
    ],
  }
  const previewed = await preview(accountId, { payload: secret })
  const rendered = await render(accountId)
  t.regex(await dump(), /secret-photo/)
  await paint(previewed)
  const kept = (await dump()).split('\n').filter((row) => /secret/.test(row))
  t.deepEqual(kept, [])
  const rows = await db
    .selectFrom('jobs')
    .select(['name', 'request'])
    .where('id', 'in', [previewed.jobId, rendered.jobId])
    .orderBy('name')
    .execute()
  t.deepEqual(rows, [
    { name: 'film', request: { payload: film } },
    { name: 'preview', request: {} },
  ])
})
