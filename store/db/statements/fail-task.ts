import { type Selectable, sql } from 'kysely'
import { judgeFailure } from '../../../core/attempts.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import type { TaskError, TasksTable } from '../schema.ts'
import { type Attempt, type AttemptStanding, isAttemptOf, lockTask } from './lock-attempt.ts'
import { writeWord } from './task-outcome.ts'

export type AttemptFailure = {
  readonly code: ErrorCode
  readonly message: string
  readonly field?: string
  readonly logTail: string
}

export type FailedAttempt = { readonly retried: boolean }

/** A node gives an attempt up: the task goes to another node or ends, as core/attempts.ts says. */
export async function failTask(
  db: Db,
  { failure, ...attempt }: Attempt & { readonly failure: AttemptFailure },
): Promise<AttemptStanding<FailedAttempt>> {
  return await db.transaction().execute(async (tx) => {
    const task = await lockTask(tx, attempt.taskId)
    if (task === undefined) return { standing: 'unknown' }
    if (!isAttemptOf(task, attempt)) return { standing: 'stale' }
    if (task.state === 'leased') {
      return { standing: 'current', answer: await endAttempt(tx, task, failure) }
    }
    const lastFailed = task.failed_nodes.at(-1) === attempt.nodeId
    if (task.state === 'failed') return { standing: 'repeated', answer: { retried: false } }
    if (task.state === 'queued' && lastFailed) {
      return { standing: 'repeated', answer: { retried: true } }
    }
    return { standing: 'stale' }
  })
}

/** Ends the attempt of a leased, locked task as failed by its node. */
export async function endAttempt(
  db: Db,
  task: Selectable<TasksTable>,
  failure: AttemptFailure,
): Promise<FailedAttempt> {
  const failures = task.failed_nodes.length + 1
  const judged = judgeFailure({ ...failure, failures })
  const retried = judged.verdict === 'retry'
  const error: TaskError = {
    code: failure.code,
    message: judged.verdict === 'end' ? judged.message : failure.message,
    ...(failure.field !== undefined && { field: failure.field }),
  }
  await sql`
    update tasks set state = ${retried ? 'queued' : 'failed'}, error = ${jsonb(error)}::jsonb,
      log_tail = ${failure.logTail}, failed_nodes = failed_nodes || node_id,
      lease_expires_at = null, frames_done = 0,
      finished_at = case when ${retried} then null else now() end
    where id = ${task.id}`.execute(db)
  if (retried) await sql`select pg_notify('tasks', ${task.kind})`.execute(db)
  else await writeWord(db, { token: task.task_token, task: { ...task, state: 'failed', error } })
  return { retried }
}
