import { sql } from 'kysely'
import { mayTaskMove } from '../../../core/queue/task-states.ts'
import type { Db } from '../database.ts'
import type { TaskError } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'
import { type AttemptFailure, countAttempts, type FailedAttempt } from './fail-task.ts'
import { type Attempt, type AttemptStatus, lockTask, readAttempt } from './lock-attempt.ts'
import { notifyQueuedTasks } from './notify-queued-tasks.ts'
import { requeuedState } from './requeued-state.ts'

/** Longest wait of a task that every node refuses until it is offered again. */
const waitMostSeconds = 30

/**
 * Hands back a task that is not for its node: a plan of another engine. The attempt counts as no failure.
 * The node does not get the task again while another could take it. The second refusal and later ones
 * delay it by a second more each.
 */
export async function refuseTask(
  db: Db,
  { failure, ...attempt }: Attempt & { readonly failure: AttemptFailure },
): Promise<AttemptStatus<FailedAttempt>> {
  return await db.transaction().execute(async (tx) => {
    const task = await lockTask(tx, attempt.taskId)
    if (task === undefined) return { status: 'unknown' }
    const answer = { jobId: task.job_id, kind: task.kind, retried: true }
    const held = await readAttempt(tx, attempt)
    if (held?.state === 'returned' && held.error !== null) return { status: 'repeated', answer }
    if (held?.state !== 'running' || !mayTaskMove(task.state, 'queued')) return { status: 'stale' }
    const { code, message, logTail } = failure
    const error = jsonb({ code, message } satisfies TaskError)
    const { refused } = await countAttempts(tx, task.id)
    const waitSeconds = Math.min(refused, waitMostSeconds)
    await sql`
      update attempts set state = 'returned', ended_at = now(), error = ${error}::jsonb,
        log_tail = ${logTail}
      where task_id = ${task.id} and attempt = ${attempt.attempt}`.execute(tx)
    await sql`
      update tasks set failed_nodes = failed_nodes || ${attempt.nodeId}::uuid
      where id = ${task.id}`.execute(tx)
    await sql`
      update tasks set state = ${requeuedState()}, error = ${error}::jsonb, frames_done = 0,
        not_before = case when ${waitSeconds > 0} then now() + make_interval(secs => ${waitSeconds}) end
      where id = ${task.id} and not exists (
        select from attempts where task_id = ${task.id} and state = 'running'
      )`.execute(tx)
    // A delayed task is announced when its time comes.
    if (waitSeconds === 0) {
      const queued = sql`(select kind, requirements from tasks where id = ${task.id} and state = 'queued')`
      await notifyQueuedTasks(queued).execute(tx)
    }
    return { status: 'current', answer }
  })
}
