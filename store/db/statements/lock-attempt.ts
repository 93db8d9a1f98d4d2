import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { AttemptsTable, TasksTable } from '../fleet-schema.ts'

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

type LockedTask = Selectable<TasksTable>

/** The task's row, locked until the transaction ends: whoever changes an attempt holds it. */
export async function lockTask(db: Db, taskId: string): Promise<LockedTask | undefined> {
  return await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', taskId)
    .forUpdate()
    .executeTakeFirst()
}

/** The node's attempt, whatever became of it; undefined when it never was the node's. */
export async function readAttempt(
  db: Db,
  { nodeId, taskId, attempt }: Attempt,
): Promise<Selectable<AttemptsTable> | undefined> {
  return await db
    .selectFrom('attempts')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('attempt', '=', attempt)
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
}
