import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** `jobId` null: the account's sums. `fault`: a sentence with the figures. */
export type LedgerFault = {
  readonly accountId: string
  readonly jobId: string | null
  readonly fault: string
}

/**
 * Finds accounts whose balance is not the sum of their entries, and jobs that were charged otherwise than
 * their row says: twice, not at all, or with a hold that outlived them.
 */
export async function findLedgerFaults(db: Db): Promise<readonly LedgerFault[]> {
  const { rows } = await sql<LedgerFault>`
    select a.id as "accountId", null as "jobId", format(
        'The balance is %s and %s are held. Its entries sum up to %s and %s.',
        a.credits_balance, a.credits_reserved, e.balance, e.reserved) as fault
      from accounts a cross join lateral (
        select coalesce(sum(balance_change), 0) as balance, coalesce(sum(reserved_change), 0) as reserved
        from credit_entries where account_id = a.id
      ) e
      where a.credits_balance <> e.balance or a.credits_reserved <> e.reserved
    union all
    select j.account_id, j.id, format(
        'The job is %s: %s credits held, %s charged. Its entries have %s captured and %s released.',
        j.state, j.credits_reserved, j.credits_charged, e.captured, e.released)
      from jobs j cross join lateral (
        select coalesce(-sum(balance_change) filter (where kind = 'capture'), 0) as captured,
          coalesce(-sum(reserved_change) filter (where kind = 'release'), 0) as released
        from credit_entries where job_id = j.id
      ) e
      where case when j.finished_at is null then e.captured <> 0 or e.released <> 0
        else e.captured <> j.credits_charged or e.captured + e.released <> j.credits_reserved end
    order by 1, 2`.execute(db)
  return rows
}
