import { correctCredits } from '../../store/db/accounts/correct-credits.ts'
import { grantCredits } from '../../store/db/accounts/grant-credits.ts'
import { listCreditEntries } from '../../store/db/accounts/list-credit-entries.ts'
import type { Db } from '../../store/db/database.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { answerOne, answerRows, operate, requireAccount } from './operate.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

export async function giveCredits({
  account,
  credits,
  note,
  json,
  ...options
}: OfAccount & ActOptions & { credits: number; note: string }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `credits grant ${credits}`, subject: accountId, ...options }
    await act(db, done, (tx) => grantCredits(tx, { accountId, credits, note }))
    return await balanceOf(db, accountId)
  })
}

/** Changes the balance by `credits`, which may be negative. */
export async function changeCredits({
  account,
  credits,
  note,
  json,
  ...options
}: OfAccount & ActOptions & { credits: number; note: string }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId, ...before } = await requireAccount(db, account)
    const done = { what: `credits correct ${credits}`, subject: accountId, ...options }
    await act(db, done, async (tx) => {
      if (await correctCredits(tx, { accountId, credits, note })) return
      const free = before.creditsBalance - before.creditsReserved
      throw new Failure(
        `CREDITS must not remove credits held for jobs. Got ${credits}, but only ${free} can be removed`,
      )
    })
    return await balanceOf(db, accountId)
  })
}

export async function showBalance({ account, json }: OfAccount): Promise<void> {
  await operate(json, async (db) => await balanceOf(db, account))
}

export async function showHistory({
  account,
  limit,
  json,
}: OfAccount & { limit: number }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const { entries } = await listCreditEntries(db, { accountId, page: 1, pageSize: limit })
    return answerRows(
      entries.map(({ id, createdAt, kind, balanceChange, reservedChange, jobId, note }) => ({
        ...{ id, at: createdAt, kind, balance: balanceChange, reserved: reservedChange },
        ...{ job: jobId, note },
      })),
    )
  })
}

async function balanceOf(db: Db, account: string) {
  const { creditsBalance: balance, creditsReserved: reserved } = await requireAccount(db, account)
  return answerOne({ balance, reserved, available: balance - reserved })
}
