import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { grantCredits } from '../../../../store/db/accounts/grant-credits.ts'
import type { Db } from '../../../../store/db/database.ts'
import { cancelJob } from '../../../../store/db/jobs/cancel-job.ts'
import { insertJobWithHold } from '../../../../store/db/jobs/insert-job-with-hold.ts'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { migrate } from '../../../../store/db/migrate.ts'
import { addAccount, addJob, addTask, startDatabase } from '../../database.ts'
import { enterStage } from '../jobs/one-job.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const film = { duration: 1, size: 10, width: 320, height: 180 }
const completed = {
  to: 'completed',
  result: film,
  outputKey: 'accounts/a/film',
  thumbnailKey: null,
  links: { url: 'https://example.com/film', thumbnailUrl: null },
} as const
const failed = {
  to: 'failed',
  error: { code: 'media_invalid', message: 'The picture is broken.', details: [] },
} as const

async function balanceOf(accountId: string) {
  const account = await db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ balance: number; reserved: number }>`
    select sum(balance_change)::bigint as balance, sum(reserved_change)::bigint as reserved
    from credit_entries where account_id = ${accountId}`.execute(db)
  return { account, ledger: rows[0] }
}

async function walkTo(db: Db, ids: { accountId: string; jobId: string }, stage: 'render') {
  await enterStage(db, { ...ids, stage: 'resolve' })
  return await enterStage(db, { ...ids, stage, frames: { total: 200, reused: 0, painted: 200 } })
}

test('migrating again runs nothing', async (t) => {
  t.deepEqual(await migrate(db), [])
})

test('200 parallel submissions spend exactly the credits there are', async (t) => {
  const accountId = await addAccount(db, 1000)
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () =>
      insertJobWithHold(db, {
        id: randomUUID(),
        accountId,
        type: 'video',
        name: '',
        request: {},
        credits: 7,
      }),
    ),
  )
  const inserted = outcomes.filter(({ outcome }) => outcome === 'inserted')
  t.is(inserted.length, 142)
  t.deepEqual(
    outcomes.find(({ outcome }) => outcome === 'insufficient'),
    {
      ...{ outcome: 'insufficient', creditsRequired: 7, creditsAvailable: 6 },
      budgetSpentUntil: null,
    },
  )
  const { account, ledger } = await balanceOf(accountId)
  t.deepEqual(account, { balance: 1000, reserved: 994 })
  t.deepEqual(ledger, account)
})

test('a job id works once, and the refused copy holds nothing', async (t) => {
  const accountId = await addAccount(db, 100)
  const job = { id: randomUUID(), type: 'image', name: '', request: {}, credits: 5 } as const
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => insertJobWithHold(db, { ...job, accountId })),
  )
  t.is(outcomes.filter(({ outcome }) => outcome === 'inserted').length, 1)
  t.is(outcomes.filter(({ outcome }) => outcome === 'duplicate').length, 9)
  t.deepEqual((await balanceOf(accountId)).account, { balance: 100, reserved: 5 })
})

test('a job’s copy is a duplicate even when the credits are gone', async (t) => {
  const accountId = await addAccount(db, 5)
  const jobId = await addJob(db, accountId, 5)
  const again = { id: jobId, accountId, type: 'video', name: '', request: {}, credits: 5 } as const
  t.deepEqual(await insertJobWithHold(db, again), { outcome: 'duplicate' })
})

test('a completed job is captured once however often it is settled', async (t) => {
  const accountId = await addAccount(db, 100)
  const jobId = await addJob(db, accountId, 30)
  await walkTo(db, { accountId, jobId }, 'render')
  const settle = () => settleJob(db, { accountId, jobId, reason: 'done', settlement: completed })
  const answers = await Promise.all(Array.from({ length: 10 }, settle))
  t.is(answers.filter((answer) => answer?.settled).length, 1)
  t.true(answers.every((answer) => answer?.state === 'completed'))
  const { account, ledger } = await balanceOf(accountId)
  t.deepEqual(account, { balance: 70, reserved: 0 })
  t.deepEqual(ledger, account)
})

test('a failed job costs nothing, and can not be completed afterwards', async (t) => {
  const accountId = await addAccount(db, 100)
  const jobId = await addJob(db, accountId, 30)
  await settleJob(db, { accountId, jobId, reason: 'broken', settlement: failed })
  const late = await settleJob(db, { accountId, jobId, reason: 'late', settlement: completed })
  t.deepEqual(late, { settled: false, state: 'failed' })
  t.deepEqual((await balanceOf(accountId)).account, { balance: 100, reserved: 0 })
})

test('a job that is cancelled half-way costs half', async (t) => {
  const accountId = await addAccount(db, 100)
  const jobId = await addJob(db, accountId, 31)
  await walkTo(db, { accountId, jobId }, 'render')
  const task = await addTask(db, { accountId, jobId })
  t.true(task.live)
  await db.updateTable('tasks').set({ frames_done: 100 }).where('job_id', '=', jobId).execute()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => cancelJob(db, { accountId, jobId, reason: 'customer' })),
  )
  t.is(answers.filter((answer) => answer?.settled).length, 1)
  const { account, ledger } = await balanceOf(accountId)
  t.deepEqual(account, { balance: 85, reserved: 0 })
  t.deepEqual(ledger, account)
})

test('ledger and balance agree after a storm of jobs ending every way', async (t) => {
  const accountId = await addAccount(db, 10_000)
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const jobId = await addJob(db, accountId, 11)
      await walkTo(db, { accountId, jobId }, 'render')
      await Promise.all([
        settleJob(db, { accountId, jobId, reason: '', settlement: i % 2 ? completed : failed }),
        cancelJob(db, { accountId, jobId, reason: '' }),
        grantCredits(db, { accountId, credits: 1, note: '' }),
      ])
    }),
  )
  const { account, ledger } = await balanceOf(accountId)
  t.deepEqual(ledger, account)
  t.is(account.reserved, 0)
  const { rows } = await sql<{ charged: number }>`
    select sum(credits_charged)::bigint as charged from jobs
    where account_id = ${accountId}`.execute(db)
  t.is(account.balance, 10_060 - (rows[0]?.charged ?? 0))
})

test('credits for an unknown account are an error', async (t) => {
  const grant = () => grantCredits(db, { accountId: randomUUID(), credits: 5, note: '' })
  await t.throwsAsync(grant, { message: /No account has the id/ })
})
