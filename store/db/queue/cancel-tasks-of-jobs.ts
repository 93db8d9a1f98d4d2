import { sql } from 'kysely'
import { taskSourcesOf } from '../../../core/queue/task-states.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Ends every open task of an account's jobs. Their nodes learn it when they renew. The events to
 * Temporal go out at once, so that no workflow waits for them.
 */
export async function cancelTasksOfJobs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<void> {
  const live = taskSourcesOf('cancelled')
  await sql`
    ${prepared('cancel-tasks')} with live as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select id from tasks
      where job_id = any(${jobIds}::uuid[]) and account_id = ${accountId} and state = any(${live})
      order by id for update
    ), ended as (
      update tasks set state = 'cancelled', finished_at = now()
      from live where tasks.id = live.id and tasks.state = any(${live})
      returning tasks.id, task_token
    ), events as (
      insert into task_words (task_id, token, outcome)
      select id, task_token, '{"state": "cancelled"}' from ended
      returning id
    )
    select pg_notify('task_words', '') from events limit 1`.execute(db)
  // A statement of its own: the one above does not see an attempt that was begun while it waited.
  await sql`
    ${prepared('cancel-attempts')} with running as (
      select a.task_id, a.attempt from attempts a join tasks t on t.id = a.task_id
      where a.job_id = any(${jobIds}::uuid[]) and a.state = 'running' and t.state = 'cancelled'
      order by a.task_id, a.attempt for update of a
    )
    update attempts a set state = 'cancelled', ended_at = now()
    from running r where a.task_id = r.task_id and a.attempt = r.attempt
      and a.state = 'running'`.execute(db)
}
