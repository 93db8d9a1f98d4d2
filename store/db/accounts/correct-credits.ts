import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Corrects a balance for an operator, upwards or downwards, in the statement that writes the
 * ledger's row. False: the account has too few credits that are not held for jobs.
 */
export async function correctCredits(
  db: Db,
  { accountId, credits, note }: { accountId: string; credits: number; note: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with account as (
      update accounts set credits_balance = credits_balance + ${credits}
      where id = ${accountId} and credits_balance + ${credits} >= credits_reserved returning id
    )
    insert into credit_entries (account_id, kind, balance_change, reserved_change, note)
    select id, 'correction', ${credits}, 0, ${note} from account`.execute(db)
  return numAffectedRows === 1n
}
