import { sql } from 'kysely'
import type { AttemptState } from '../../../core/queue/task-states.ts'
import type { Db } from '../database.ts'

/**
 * Ends the running attempts of a locked task, except the attempt `except`. Their nodes learn of it
 * when they renew.
 */
export async function endOtherAttempts(
  db: Db,
  {
    taskId,
    except,
    to,
  }: { taskId: string; except: number; to: Extract<AttemptState, 'cancelled' | 'superseded'> },
): Promise<void> {
  await sql`
    update attempts set state = ${to}, ended_at = now()
    where task_id = ${taskId} and attempt <> ${except} and state = 'running'`.execute(db)
}
