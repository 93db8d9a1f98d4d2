import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Refuses an account's credentials from now on, or accepts them again. False: it was so already.
 */
export async function suspendAccount(
  db: Db,
  { accountId, isSuspended }: { accountId: string; isSuspended: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update accounts set suspended_at = ${isSuspended ? sql`now()` : null}
    where id = ${accountId} and (suspended_at is not null) <> ${isSuspended}`.execute(db)
  return numAffectedRows === 1n
}
