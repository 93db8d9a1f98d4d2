import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Adds credits to an account. The balance moves in the statement that writes the ledger's row. */
export async function grantCredits(
  db: Db,
  { accountId, credits, note }: { accountId: string; credits: number; note: string },
): Promise<void> {
  const { numAffectedRows } = await sql`
    with account as (
      update accounts set credits_balance = credits_balance + ${credits}
      where id = ${accountId} returning id
    )
    insert into credit_entries (account_id, kind, balance_change, reserved_change, note)
    select id, 'grant', ${credits}, 0, ${note} from account`.execute(db)
  if (numAffectedRows !== 1n) throw new Error(`No account has the id ${accountId}.`)
}
