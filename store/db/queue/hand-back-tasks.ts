import { sql } from 'kysely'
import { type Db, inTransaction } from '../database.ts'
import { notifyQueuedTasks } from './notify-queued-tasks.ts'
import { requeuedState } from './requeued-state.ts'

/**
 * Requeues attempts that a node could not finish through no fault of theirs: they keep their place
 * and count as no failure. Attempts of other nodes are left alone. Answers how many there were.
 */
export async function handBackTasks(
  db: Db,
  {
    nodeId,
    attempts,
  }: { nodeId: string; attempts: readonly { taskId: string; attempt: number }[] },
): Promise<number> {
  const ids = attempts.map(({ taskId }) => taskId)
  const numbers = attempts.map(({ attempt }) => attempt)
  return await inTransaction(db, async (tx) => {
    // Locks by a statement of its own, in id order as everywhere: no deadlocks, and the next one
    // sees the changes of earlier holders.
    const { rows: locked } = await sql<{ id: string }>`
      select id from tasks where id = any(${ids}::uuid[]) and state = 'leased'
      order by id for update`.execute(tx)
    const { rows } = await sql<{ returned: number }>`
      with returned as (
        update attempts set state = 'returned', ended_at = now()
        from unnest(${ids}::uuid[], ${numbers}::integer[]) as handed (id, attempt)
        where attempts.task_id = handed.id and attempts.attempt = handed.attempt
          and attempts.task_id = any(${locked.map(({ id }) => id)}::uuid[])
          and attempts.node_id = ${nodeId} and attempts.state = 'running'
        returning attempts.task_id, attempts.attempt
      ), queued as (
        update tasks set state = ${requeuedState()}, frames_done = 0
        from returned
        where tasks.id = returned.task_id and not exists (
          select from attempts other where other.task_id = tasks.id and other.state = 'running'
            and other.attempt <> returned.attempt
        )
        returning tasks.kind, tasks.requirements, tasks.state
      ), told as materialized (${notifyQueuedTasks(sql`(select * from queued where state = 'queued')`)})
      select (select count(*) from returned) as returned, (select count(*) from told)`.execute(tx)
    return rows[0]?.returned ?? 0
  })
}
