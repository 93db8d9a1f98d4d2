import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Finds accounts whose balance or held credits are not the sum of their entries, in order of their ids. One
 * statement reads the whole ledger, so a charge of that moment is in both or in neither.
 */
export async function findUnbalancedAccounts(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from accounts a left join (
      select account_id, sum(balance_change) as balance, sum(reserved_change) as reserved
      from credit_entries group by account_id
    ) e on e.account_id = a.id
    where a.credits_balance <> coalesce(e.balance, 0) or a.credits_reserved <> coalesce(e.reserved, 0)
    order by a.id`.execute(db)
  return rows.map(({ id }) => id)
}
