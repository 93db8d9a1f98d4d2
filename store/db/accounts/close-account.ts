import { sql } from 'kysely'
import { cancelBulk } from '../bulks/cancel-bulk.ts'
import type { Db } from '../database.ts'
import { cancelJob } from '../jobs/cancel-job.ts'

/**
 * Refuses an account's credentials for good: keys are revoked, sessions and agents end. What it stored
 * is kept until its retention ends. Repeated, it ends what has come since. Call it in a transaction.
 * @returns false: there is no such account
 */
export async function closeAccount(tx: Db, accountId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update accounts set closed_at = coalesce(closed_at, now()),
      suspended_at = coalesce(suspended_at, now())
    where id = ${accountId}`.execute(tx)
  await sql`
    update api_keys set revoked_at = now()
    where account_id = ${accountId} and revoked_at is null`.execute(tx)
  await sql`
    update agent_grants set revoked_at = now(), revoke_reason = 'account closed'
    where account_id = ${accountId} and revoked_at is null`.execute(tx)
  await sql`
    update sessions set ended_at = now(), end_reason = 'account closed'
    where account_id = ${accountId} and ended_at is null`.execute(tx)
  return numAffectedRows === 1n
}

/**
 * Cancels all open jobs of an account, whole bulks first; each pays for its painted frames. Every job or
 * bulk is a transaction of its own, so a call that breaks off may be repeated.
 */
export async function cancelOpenJobs(
  db: Db,
  { accountId, reason }: { accountId: string; reason: string },
): Promise<number> {
  const open = () =>
    db.selectFrom('jobs').where('account_id', '=', accountId).where('finished_at', 'is', null)
  const bulks = await open()
    .select('bulk_id as bulkId')
    .where('bulk_id', 'is not', null)
    .distinct()
    .execute()
  let cancelled = 0
  for (const { bulkId } of bulks) {
    if (bulkId !== null) cancelled += await cancelBulk(db, { accountId, bulkId, reason })
  }
  for (const { id } of await open().select('id').execute()) {
    const settled = await cancelJob(db, { accountId, jobId: id, reason })
    if (settled?.settled) cancelled += 1
  }
  return cancelled
}
