import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { findSpentBudgets } from '../../../core/alerts/budget-findings.ts'
import {
  keepBudgets,
  listBudgets,
  removeBudget,
  setBudget,
} from '../../../store/db/budgets/budgets.ts'
import { insertJobsWithHold, storableJob } from '../../../store/db/jobs/insert-jobs-with-hold.ts'
import { addAccount, startDatabase } from '../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

async function submit(accountId: string, credits: number) {
  const id = randomUUID()
  const job = { id, accountId, type: 'image' as const, name: 'still', request: {}, credits }
  const [inserted] = await insertJobsWithHold(db, [storableJob(job)])
  return inserted
}

/** Charges an account at a time, as the end of a job does. */
async function charge(accountId: string, credits: number, at = 'now()') {
  const held = await submit(accountId, 0)
  if (held?.outcome !== 'inserted') throw new Error('a free job must be taken')
  await sql`insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change, created_at)
    select account_id, id, 'capture', ${-credits}, 0, ${sql.raw(at)} from jobs
    where account_id = ${accountId} order by created_at desc limit 1`.execute(db)
}
const keepAll = async () => keepBudgets(db, await listBudgets(db))
const budgetOf = async (accountId: string) => (await listBudgets(db, { accountId }))[0]
const budget = (accountId: string, credits: number, stops = true) =>
  setBudget(db, { accountId, credits, stops, madeBy: 'ada' })

test('a budget counts charges of this month and credits held now', async (t) => {
  const accountId = await addAccount(db)
  await budget(accountId, 100)
  await charge(accountId, 30)
  await charge(
    accountId,
    40,
    `date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
    - interval '1 second'`,
  )
  await submit(accountId, 7)
  t.like(await budgetOf(accountId), { credits: 100, spent: 37, stops: true, madeBy: 'ada' })
})

test('a spent budget that stops refuses jobs until the month’s end', async (t) => {
  const accountId = await addAccount(db)
  await budget(accountId, 100)
  t.is((await submit(accountId, 100))?.outcome, 'inserted', 'it is not spent yet')
  await keepAll()
  const refused = await submit(accountId, 1)
  t.like(refused, { outcome: 'insufficient', creditsRequired: 1, creditsAvailable: 0 })
  const until = refused?.outcome === 'insufficient' ? refused.budgetSpentUntil : null
  t.regex(until?.toISOString() ?? '', /-01T00:00:00\.000Z$/)
  t.true((until?.getTime() ?? 0) > Date.now())
  await sql`update accounts set budget_spent_until = now() where id = ${accountId}`.execute(db)
  t.is((await submit(accountId, 1))?.outcome, 'inserted', 'the month is over')
})

test('a budget that only tells refuses nothing', async (t) => {
  const accountId = await addAccount(db)
  await budget(accountId, 10, false)
  await submit(accountId, 20)
  await keepAll()
  t.is((await submit(accountId, 1))?.outcome, 'inserted')
})

test('a larger budget, or none, takes jobs again at once', async (t) => {
  const accountId = await addAccount(db)
  await submit(accountId, 50)
  await budget(accountId, 10)
  t.is((await submit(accountId, 1))?.outcome, 'insufficient')
  await budget(accountId, 60)
  t.is((await submit(accountId, 1))?.outcome, 'inserted')
  await budget(accountId, 10)
  t.true(await removeBudget(db, accountId))
  t.is((await submit(accountId, 1))?.outcome, 'inserted')
  t.false(await removeBudget(db, accountId))
})

test('an account that lacks credits is told of no budget', async (t) => {
  const accountId = await addAccount(db, 5)
  t.like(await submit(accountId, 6), {
    ...{ outcome: 'insufficient', creditsAvailable: 5, budgetSpentUntil: null },
  })
})

test('each crossed step of a budget is an alert of its own', (t) => {
  const given = { accountId: 'a1', account: 'Ada', credits: 200, stops: true }
  const steps = (spent: number) => findSpentBudgets([{ ...given, spent }]).map(({ where }) => where)
  t.deepEqual([steps(99), steps(100), steps(199)], [[], ['a1 50'], ['a1 50', 'a1 80']])
  const [, , last] = findSpentBudgets([{ ...given, spent: 201 }])
  t.is(
    last?.words,
    'Account Ada has spent 100 % of its 200 credits for this month; new jobs are refused',
  )
  const told = findSpentBudgets([{ ...given, stops: false, spent: 201 }])
  t.false(told.some(({ words }) => words.includes('refused')))
})
