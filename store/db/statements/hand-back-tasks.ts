import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Puts attempts that a node did not finish, through no fault of theirs, back into the queue: they
 * keep their place and count as no failure. Attempts that are not the node's are left alone.
 */
export async function handBackTasks(
  db: Db,
  {
    nodeId,
    attempts,
  }: { nodeId: string; attempts: readonly { taskId: string; attempt: number }[] },
): Promise<void> {
  await sql`
    with handed as (
      select * from unnest(
        ${attempts.map((each) => each.taskId)}::uuid[],
        ${attempts.map((each) => each.attempt)}::integer[]
      ) as handed (id, attempt)
    ), locked as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select tasks.id from tasks join handed on handed.id = tasks.id
      where tasks.state = 'leased' and tasks.node_id = ${nodeId}
      order by tasks.id for update of tasks
    ), queued as (
      update tasks set state = 'queued', lease_expires_at = null, frames_done = 0
      from handed join locked on locked.id = handed.id
      where tasks.id = handed.id and tasks.attempt = handed.attempt
        and tasks.state = 'leased' and tasks.node_id = ${nodeId}
      returning tasks.kind
    )
    select pg_notify('tasks', kind) from queued`.execute(db)
}
