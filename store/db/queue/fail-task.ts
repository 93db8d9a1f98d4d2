import { sql } from 'kysely'
import type { ErrorCode, Retry } from '../../../core/errors.ts'
import { decideRetry } from '../../../core/queue/attempts.ts'
import { mayTaskMove } from '../../../core/queue/task-states.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskError } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'
import { endOtherAttempts } from './end-attempts.ts'
import {
  type Attempt,
  type AttemptStatus,
  type LockedTask,
  lockTask,
  readAttempt,
} from './lock-attempt.ts'
import { notifyQueuedTasks } from './notify-queued-tasks.ts'
import { requeuedState } from './requeued-state.ts'
import { writeWord } from './task-outcome.ts'

export type AttemptFailure = {
  readonly code: ErrorCode
  readonly message: string
  readonly field?: string
  readonly logTail: string
  readonly retry?: Retry
}

export type FailedAttempt = {
  readonly jobId: string
  readonly kind: TaskKind
  readonly retried: boolean
}

/**
 * Fails an attempt that its node gives up: the task is retried or ends, as core/queue/attempts.ts says.
 */
export async function failTask(
  db: Db,
  { failure, ...attempt }: Attempt & { readonly failure: AttemptFailure },
): Promise<AttemptStatus<FailedAttempt>> {
  return await db.transaction().execute(async (tx) => {
    const task = await lockTask(tx, attempt.taskId)
    if (task === undefined) return { status: 'unknown' }
    const held = await readAttempt(tx, attempt)
    if (held?.state === 'failed') {
      return {
        status: 'repeated',
        answer: { jobId: task.job_id, kind: task.kind, retried: task.state !== 'failed' },
      }
    }
    if (held?.state !== 'running' || !mayTaskMove(task.state, 'failed')) {
      return { status: 'stale' }
    }
    const answer = await endAttempt(tx, { task, attempt, to: 'failed', failure })
    return { status: 'current', answer }
  })
}

/** Ends a running attempt of a locked task as failed by its node, or as lost with it. */
export async function endAttempt(
  db: Db,
  {
    task,
    attempt: { nodeId, attempt },
    to,
    failure,
  }: {
    task: LockedTask
    attempt: Attempt
    to: 'failed' | 'lost'
    failure: AttemptFailure
  },
): Promise<FailedAttempt> {
  const { unreachable, refused } = await countAttempts(db, task.id)
  const verdict = decideRetry({
    ...failure,
    failures: Math.max(0, task.failed_nodes.length - refused) + 1,
    unreachable: unreachable + 1,
  })
  const error: TaskError = {
    code: failure.code,
    message: verdict.verdict === 'end' ? verdict.message : failure.message,
    ...(failure.field !== undefined && { field: failure.field }),
  }
  await sql`
    update attempts set state = ${to}, ended_at = now(), error = ${jsonb(error)}::jsonb,
      log_tail = ${failure.logTail}
    where task_id = ${task.id} and attempt = ${attempt}`.execute(db)
  const retried = verdict.verdict === 'retry'
  const { delayMs, isOfNode } = retried ? verdict : { delayMs: 0, isOfNode: true }
  // A second attempt that still runs may save the task, unless no attempt could.
  const next = retried
    ? sql`case when other.runs then 'leased' else ${requeuedState()} end`
    : sql`'failed'`
  await sql`
    with other as (
      select exists (
        select from attempts where task_id = ${task.id} and state = 'running'
          and attempt <> ${attempt}
      ) as runs
    )
    update tasks set state = ${next}, error = ${jsonb(error)}::jsonb,
      log_tail = ${failure.logTail},
      failed_nodes = case when ${isOfNode} then failed_nodes || ${nodeId}::uuid else failed_nodes end,
      not_before = case when ${delayMs > 0} then now() + make_interval(secs => ${delayMs / 1000}) end,
      frames_done = case when other.runs then frames_done else 0 end,
      finished_at = case when ${retried} then null else now() end
    from other where id = ${task.id}`.execute(db)
  if (retried) {
    // A delayed task is announced when its time comes.
    if (delayMs === 0)
      await notifyQueuedTasks(
        sql`(select kind, requirements from tasks where id = ${task.id} and state = 'queued')`,
      ).execute(db)
  } else {
    await endOtherAttempts(db, { taskId: task.id, except: attempt, to: 'superseded' })
    await writeWord(db, { token: task.task_token, task: { ...task, state: 'failed', error } })
  }
  return { jobId: task.job_id, kind: task.kind, retried }
}

/**
 * Counts attempts that failed because a customer's address did not deliver its medium, and those that
 * their nodes refused; since an operator last retried the task.
 */
export async function countAttempts(
  db: Db,
  taskId: string,
): Promise<{ readonly unreachable: number; readonly refused: number }> {
  const { rows } = await sql<{ unreachable: number; refused: number }>`
    select count(*) filter (where state = 'failed' and error->>'code' = 'media_unreachable')::integer
        as unreachable,
      count(*) filter (where state = 'returned' and error is not null)::integer as refused
    from attempts where task_id = ${taskId}
      and attempt > (select retried_after from tasks where id = ${taskId})`.execute(db)
  return rows[0] ?? { unreachable: 0, refused: 0 }
}
