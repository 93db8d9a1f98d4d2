import { sql } from 'kysely'
import { mayTaskMove } from '../../../core/task-states.ts'
import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { endOtherAttempts } from './end-attempts.ts'
import { type Attempt, type AttemptStanding, lockTask, readAttempt } from './lock-attempt.ts'
import { noteMedia } from './note-media.ts'
import { writeWord } from './task-outcome.ts'

/** `failedNodes`: who failed the task before this node did it. */
export type CompletedTask = {
  readonly jobId: string
  readonly kind: TaskKind
  readonly failedNodes: readonly string[]
}

/**
 * Ends a task with its result; the word to Temporal is written in the same transaction. The row's
 * lock puts equal completions one after the other, so that one has an effect and the rest repeat;
 * of two attempts that run at once the first one wins and the other is superseded.
 */
export async function completeTask(
  db: Db,
  attempt: Attempt & { readonly result: Record<string, unknown> },
): Promise<AttemptStanding<CompletedTask>> {
  const result = jsonb(attempt.result)
  return await db.transaction().execute(async (tx) => {
    const task = await lockTask(tx, attempt.taskId)
    if (task === undefined) return { standing: 'unknown' }
    const held = await readAttempt(tx, attempt)
    const answer = { jobId: task.job_id, kind: task.kind, failedNodes: task.failed_nodes }
    if (held?.state === 'completed') return { standing: 'repeated', answer }
    if (held?.state !== 'running' || !mayTaskMove(task.state, 'completed')) {
      return { standing: 'stale' }
    }
    await sql`
      with ended as (
        update attempts set state = 'completed', ended_at = now(), frames_done = ${task.frames_total}
        where task_id = ${task.id} and attempt = ${attempt.attempt}
      )
      update tasks set state = 'completed', result = ${result}::jsonb, frames_done = frames_total,
        won_attempt = ${attempt.attempt}, error = null, finished_at = now(),
        preview_attempt = case when outputs ? 'preview' then ${attempt.attempt}::integer end,
        previewed_at = case when outputs ? 'preview' then now() end
      where id = ${task.id}`.execute(tx)
    await endOtherAttempts(tx, { taskId: task.id, except: attempt.attempt, to: 'superseded' })
    await noteMedia(tx, { nodeId: attempt.nodeId, digests: mediaKept(task, attempt.result) })
    const won = { result: attempt.result, won_attempt: attempt.attempt }
    await writeWord(tx, {
      token: task.task_token,
      task: { ...task, state: 'completed', ...won },
    })
    return { standing: 'current', answer }
  })
}

/** What the node fetched to do the task, or fetched as the task. */
function mediaKept(
  { kind, media }: { readonly kind: string; readonly media: readonly string[] },
  result: Record<string, unknown>,
): readonly string[] {
  return kind === 'ingest' && typeof result.digest === 'string' ? [result.digest] : media
}
