import type { Db } from '../database.ts'
import { type InsertedJob, insertJobWithHold, type NewJob } from './insert-job-with-hold.ts'
import { spendKeyCredits } from './spend-key-credits.ts'

export type InsertedUnderCap =
  | InsertedJob
  | { readonly outcome: 'over-cap'; readonly cap: number; readonly left: number }

/**
 * The job of a key with a spending cap: inserted with its hold and counted against the cap, or
 * nothing at all. One transaction more than without a cap, so only such keys pay for it.
 */
export async function insertJobUnderCap(
  db: Db,
  job: NewJob & { readonly keyId: string },
): Promise<InsertedUnderCap> {
  const transaction = await db.startTransaction().execute()
  try {
    const inserted = await insertAndCount(transaction, job)
    const isIn = inserted.outcome === 'inserted'
    await (isIn ? transaction.commit() : transaction.rollback()).execute()
    return inserted
  } catch (error) {
    if (!transaction.isCommitted && !transaction.isRolledBack) {
      await transaction.rollback().execute()
    }
    throw error
  }
}

async function insertAndCount(
  db: Db,
  job: NewJob & { readonly keyId: string },
): Promise<InsertedUnderCap> {
  const inserted = await insertJobWithHold(db, job)
  if (inserted.outcome !== 'inserted') return inserted
  const over = await spendKeyCredits(db, job)
  return over ? { outcome: 'over-cap', ...over } : inserted
}
