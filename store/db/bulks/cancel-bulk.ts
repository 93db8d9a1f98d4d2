import { sql } from 'kysely'
import { returnCredits } from '../accounts/return-credits.ts'
import type { Db } from '../database.ts'
import { cancelJob } from '../jobs/cancel-job.ts'

/**
 * Cancels every job of a bulk that has not ended, and answers how many there were. Untouched jobs,
 * nearly all of a large bulk, end in one statement. The few in work are cancelled one by one, each
 * charged for its painted frames.
 */
export async function cancelBulk(
  db: Db,
  { accountId, bulkId, reason }: { accountId: string; bulkId: string; reason: string },
): Promise<number> {
  const untouched = await cancelQueued(db, { accountId, bulkId, reason })
  const open = await db
    .selectFrom('jobs')
    .select('id')
    .where('bulk_id', '=', bulkId)
    .where('account_id', '=', accountId)
    .where('finished_at', 'is', null)
    .execute()
  for (const { id } of open) await cancelJob(db, { accountId, jobId: id, reason })
  return untouched + open.length
}

/**
 * Cancels queued jobs, which have no tasks and no frames: their whole share of the hold is
 * released. This is the move queued → cancelled of core/jobs/jobs.ts for many rows at once. Jobs are
 * locked by id and before the account, as in everything that ends jobs.
 */
async function cancelQueued(
  db: Db,
  { accountId, bulkId, reason }: { accountId: string; bulkId: string; reason: string },
): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ jobId: string; credits: number }>`
      with queued as (
        select id from jobs
        where bulk_id = ${bulkId} and account_id = ${accountId} and state = 'queued'
        order by id for update
      ), ended as (
        update jobs set state = 'cancelled', state_reason = ${reason}, updated_at = now(),
          finished_at = now()
        from queued where jobs.id = queued.id and jobs.state = 'queued'
        returning jobs.id, jobs.account_id, jobs.credits_reserved
      ), account as (
        update accounts set credits_reserved = accounts.credits_reserved - total.credits
        from (select sum(credits_reserved)::bigint as credits from ended) as total
        where accounts.id = ${accountId} and total.credits > 0
      )
      insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change)
      select account_id, id, 'release', 0, -credits_reserved from ended
      returning job_id as "jobId", -reserved_change as credits`.execute(tx)
    const [any] = rows
    if (any === undefined) return 0
    // One key or agent submitted them all.
    const credits = rows.reduce((sum, row) => sum + row.credits, 0)
    await returnCredits(tx, { jobId: any.jobId, credits })
    return rows.length
  })
}
