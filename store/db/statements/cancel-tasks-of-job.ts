import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Ends every task of a job that has not ended. Nodes that hold one learn it when they renew; the
 * word to Temporal goes out at once, so that nothing waits for them.
 */
export async function cancelTasksOfJob(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<void> {
  await sql`
    with live as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select id from tasks
      where job_id = ${jobId} and account_id = ${accountId} and state in ('queued', 'leased')
      order by id for update
    ), ended as (
      update tasks set state = 'cancelled', lease_expires_at = null, finished_at = now()
      from live where tasks.id = live.id and tasks.state in ('queued', 'leased')
      returning tasks.id, task_token
    ), words as (
      insert into task_words (task_id, token, outcome)
      select id, task_token, '{"state": "cancelled"}' from ended
      returning id
    )
    select pg_notify('task_words', '') from words limit 1`.execute(db)
}
