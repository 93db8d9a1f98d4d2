import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { TasksTable } from '../schema.ts'

/** One attempt at a task, as its node names it. */
export type Attempt = { readonly nodeId: string; readonly taskId: string; readonly attempt: number }

/**
 * What a node's word about an attempt comes to. `current`: it holds the lease. `repeated`: it has
 * said so before and the reply was lost. `stale`: the attempt is not the node's any more.
 */
export type AttemptStanding<T> =
  | { readonly standing: 'current'; readonly answer: T }
  | { readonly standing: 'repeated'; readonly answer: T }
  | { readonly standing: 'stale' }
  | { readonly standing: 'unknown' }

/** The task's row, locked until the transaction ends. */
export async function lockTask(
  db: Db,
  taskId: string,
): Promise<Selectable<TasksTable> | undefined> {
  return await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', taskId)
    .forUpdate()
    .executeTakeFirst()
}

/** Whether the attempt is the one that the row knows, whatever became of it. */
export function isAttemptOf(task: Selectable<TasksTable>, attempt: Attempt): boolean {
  return task.node_id === attempt.nodeId && task.attempt === attempt.attempt
}
