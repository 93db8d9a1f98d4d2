import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { type Attempt, type AttemptStanding, isAttemptOf, lockTask } from './lock-attempt.ts'
import { writeWord } from './task-outcome.ts'

/**
 * Ends a task with its result; the word to Temporal is written in the same transaction. The row's
 * lock puts equal completions one after the other, so that one has an effect and the rest repeat.
 */
export async function completeTask(
  db: Db,
  attempt: Attempt & { readonly result: Record<string, unknown> },
): Promise<AttemptStanding<undefined>> {
  const result = jsonb(attempt.result)
  return await db.transaction().execute(async (tx) => {
    const task = await lockTask(tx, attempt.taskId)
    if (task === undefined) return { standing: 'unknown' }
    if (!isAttemptOf(task, attempt)) return { standing: 'stale' }
    if (task.state === 'completed') return { standing: 'repeated', answer: undefined }
    if (task.state !== 'leased') return { standing: 'stale' }
    await sql`
      update tasks set state = 'completed', result = ${result}::jsonb, frames_done = frames_total,
        previewed_at = case when outputs ? 'preview' then now() end, error = null, lease_expires_at = null, finished_at = now()
      where id = ${task.id}`.execute(tx)
    await writeWord(tx, {
      token: task.task_token,
      task: { ...task, state: 'completed', result: attempt.result },
    })
    return { standing: 'current', answer: undefined }
  })
}
