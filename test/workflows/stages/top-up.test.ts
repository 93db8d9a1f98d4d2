import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import test from 'ava'
import { sql } from 'kysely'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../../store/db/jobs/insert-job-with-hold.ts'
import type { RenderJobInput } from '../../../workflows/contract.ts'
import { addAccount } from '../../store/database.ts'
import { listTasksOfJob } from '../../store/db/jobs/one-job.ts'
import { startPaperNode } from '../paper-node.ts'
import { startStages } from '../stages.ts'

const { db, objects, stages, stop } = await startStages()
const node = await startPaperNode({ db, objects })

test.after.always(async () => {
  await node.stop()
  await stop()
})

/** A clip of ten seconds, as the node will find, decides the length of this film. */
const clip = { type: 'VIDEO', src: 'https://example.com/clip.mp4' }
const openFilm = { width: 320, height: 180, scenes: [{ duration: -1, visuals: [clip] }] }

async function submit(
  accountId: string,
  {
    payload = openFilm,
    credits = 1,
    keyId,
  }: { payload?: object; credits?: number; keyId?: string } = {},
): Promise<RenderJobInput> {
  const jobId = randomUUID()
  const job = { id: jobId, accountId, type: 'video' as const, name: 'open', credits }
  await insertJobWithHold(db, {
    ...job,
    request: { payload },
    ...(keyId && { keyId, isKeyCapped: true }),
  })
  return { accountId, jobId }
}

async function probe(job: RenderJobInput): Promise<void> {
  await stages.prepareInputs(job)
  for (;;) {
    const tasks = await listTasksOfJob(db, job)
    if (tasks.every(({ outcome }) => outcome !== undefined)) return
    await sleep(10)
  }
}

async function creditsOf(accountId: string) {
  const { rows } = await sql<Record<string, number>>`
    select credits_balance as balance, credits_reserved as reserved,
      (select sum(balance_change)::bigint from credit_entries where account_id = a.id) as "ledgerBalance",
      (select sum(reserved_change)::bigint from credit_entries where account_id = a.id) as "ledgerReserved"
    from accounts a where id = ${accountId}`.execute(db)
  const { balance, reserved, ledgerBalance, ledgerReserved } = rows[0] ?? {}
  return { balance, reserved, agrees: balance === ledgerBalance && reserved === ledgerReserved }
}

test('a hold of one credit grows to the price after the probe', async (t) => {
  const accountId = await addAccount(db, 17)
  const job = await submit(accountId)
  await probe(job)
  t.like(await creditsOf(accountId), { balance: 17, reserved: 1 })
  await stages.render(job)
  t.deepEqual(await creditsOf(accountId), { balance: 17, reserved: 10, agrees: true })
  t.is((await getJob(db, job))?.creditsReserved, 10)
})

test('a repeated step tops a hold up once', async (t) => {
  const accountId = await addAccount(db, 100)
  const job = await submit(accountId)
  await probe(job)
  await Promise.all([stages.render(job), stages.render(job), stages.render(job)])
  await stages.render(job)
  t.deepEqual(await creditsOf(accountId), { balance: 100, reserved: 10, agrees: true })
})

test('a film that the account cannot pay fails before anything is rendered', async (t) => {
  const accountId = await addAccount(db, 8)
  const job = await submit(accountId)
  await probe(job)
  const error = await t.throwsAsync(stages.render(job), { instanceOf: ApplicationFailure })
  t.is(error.type, 'insufficient_credits')
  t.is(
    error.message,
    'The film is 10 s long, as its media say, and costs 10 credits. The account must have 9 more to spend. Got 7.',
  )
  t.deepEqual(error.details?.[0], [
    { field: 'scenes', code: 'insufficient_credits', message: error.message },
  ])
  const tasks = await listTasksOfJob(db, job)
  t.true(tasks.every(({ kind }) => kind === 'ingest'))
  const end = { to: 'failed', code: 'insufficient_credits', message: error.message } as const
  await stages.settle({ ...job, end })
  t.deepEqual(await creditsOf(accountId), { balance: 8, reserved: 0, agrees: true })
})

test('films probed at once never hold more than the account has', async (t) => {
  const accountId = await addAccount(db, 60)
  const jobs = await Promise.all(Array.from({ length: 10 }, () => submit(accountId)))
  await Promise.all(jobs.map(probe))
  const outcomes = await Promise.allSettled(jobs.map((job) => stages.render(job)))
  const held = outcomes.filter(({ status }) => status === 'fulfilled').length
  // Each of the ten holds one credit already, and 50 more are left: for five films of nine more.
  t.is(held, 5)
  t.deepEqual(await creditsOf(accountId), { balance: 60, reserved: 55, agrees: true })
})

test('a key’s spending cap counts the credits a film finally costs', async (t) => {
  const accountId = await addAccount(db, 100)
  const { id: keyId } = await createKey(db, { accountId, name: 'capped', creditCap: 5 })
  const job = await submit(accountId, { keyId })
  await probe(job)
  const error = await t.throwsAsync(stages.render(job), { instanceOf: ApplicationFailure })
  t.regex(error.message, /The key's spending cap of 5 must leave 9 more\. Got 4\.$/)
  t.deepEqual(await creditsOf(accountId), { balance: 100, reserved: 1, agrees: true })
})

test('a film whose length is written holds what it was submitted with', async (t) => {
  const accountId = await addAccount(db, 100)
  const payload = { ...openFilm, scenes: [{ duration: 4, visuals: [clip] }] }
  const job = await submit(accountId, { payload, credits: 4 })
  await probe(job)
  await stages.render(job)
  t.like(await creditsOf(accountId), { reserved: 4 })
})

test('a hold made for the longest film stays, the rest is released', async (t) => {
  const accountId = await addAccount(db, 400)
  const job = await submit(accountId, { credits: 300 })
  await probe(job)
  await stages.render(job)
  t.like(await creditsOf(accountId), { reserved: 300 })
})
