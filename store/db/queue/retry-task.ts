import { sql } from 'kysely'
import type { TaskState } from '../../../core/queue/task-states.ts'
import type { Db } from '../database.ts'
import { notifyQueuedTasks } from './notify-queued-tasks.ts'

/**
 * Lets a queued task begin at once, on any node: its delay ends, and earlier failures count no more. A
 * task in another state stays as it is. @returns its state; undefined: there is none
 */
export async function retryTask(db: Db, taskId: string): Promise<TaskState | undefined> {
  const { rows } = await sql<{ state: TaskState }>`
    with task as materialized (
      select id, state from tasks where id = ${taskId} for update
    ), due as (
      update tasks set not_before = null, failed_nodes = '{}',
        retried_after = attempt from task
      where tasks.id = task.id and task.state = 'queued'
      returning tasks.kind, tasks.requirements
    ), told as (
      ${notifyQueuedTasks(sql`due`)}
    )
    select state from task where (select count(*) from told) >= 0`.execute(db)
  return rows[0]?.state
}
