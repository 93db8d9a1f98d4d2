import { type Selectable, sql } from 'kysely'
import type { AttemptState } from '../../../core/queue/task-states.ts'
import type { Db } from '../database.ts'
import type { AttemptsTable, TasksTable } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'

/** One attempt at a task, as its node names it. */
export type Attempt = { readonly nodeId: string; readonly taskId: string; readonly attempt: number }

/**
 * Standing of a node's report on an attempt. `current`: it holds the lease. `repeated`: it has
 * reported this before and the reply was lost. `stale`: the attempt is not the node's any more.
 */
export type AttemptStatus<T> =
  | { readonly status: 'current'; readonly answer: T }
  | { readonly status: 'repeated'; readonly answer: T }
  | { readonly status: 'stale' }
  | { readonly status: 'unknown' }

/** Leaves out the spec, which may be long. */
const columns = [
  'id',
  'job_id',
  'kind',
  'account_id',
  'outputs',
  'error',
  'won_attempt',
  'result',
  'state',
  'attempt',
  'media',
  'failed_nodes',
  'task_token',
] as const

export type LockedTask = Pick<Selectable<TasksTable>, (typeof columns)[number]>

/** Locks the task's row until the transaction ends; every change of an attempt holds this lock. */
export async function lockTask(db: Db, taskId: string): Promise<LockedTask | undefined> {
  return await db
    .selectFrom('tasks')
    .select(columns)
    .where('id', '=', taskId)
    .forUpdate()
    .executeTakeFirst()
}

/** Reads the node's attempt in any state; undefined when it never was the node's. */
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

/** Locks several tasks, by their ids and in their order, as everywhere: no deadlocks. */
export async function lockTasks(
  db: Db,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, LockedTask>> {
  const { rows } = await sql<LockedTask>`${prepared('lock-tasks')}
    select ${sql.join(columns.map(sql.ref))} from tasks
    where id = any(${taskIds}::uuid[]) order by id for update`.execute(db)
  return new Map(rows.map((task) => [task.id, task]))
}

/** States of attempts, by their keys; none for an attempt that never was the node's. */
export async function readAttempts(
  db: Db,
  attempts: readonly Attempt[],
): Promise<ReadonlyMap<string, AttemptState>> {
  const taskIds = attempts.map(({ taskId }) => taskId)
  const { rows } = await sql<
    Attempt & { readonly state: AttemptState }
  >`${prepared('read-attempts')}
    select task_id as "taskId", attempt, node_id as "nodeId", state from attempts
    where task_id = any(${taskIds}::uuid[])`.execute(db)
  return new Map(rows.map((attempt) => [attemptKey(attempt), attempt.state]))
}

export function attemptKey({ nodeId, taskId, attempt }: Attempt): string {
  return `${taskId} ${attempt} ${nodeId}`
}
