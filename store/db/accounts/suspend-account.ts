import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Refuses an account's credentials from now on and disconnects its agents, or accepts credentials
 * again, of a closed account too. False: it was so already.
 */
export async function suspendAccount(
  db: Db,
  { accountId, isSuspended }: { accountId: string; isSuspended: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    with changed as (
      update accounts set suspended_at = ${isSuspended ? sql`now()` : null}, closed_at = null
      where id = ${accountId} and (suspended_at is not null) <> ${isSuspended} returning id
    ), disconnected as (
      update agent_grants g set revoked_at = now(), revoke_reason = 'account suspended'
      from changed where g.account_id = changed.id and g.revoked_at is null and ${isSuspended}
    )
    select id from changed`.execute(db)
  return rows.length === 1
}
