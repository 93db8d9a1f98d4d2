import { sql } from 'kysely'
import type { TaskState } from '../../../core/queue/task-states.ts'
import { taskOutputKey } from '../../objects/keys.ts'
import type { Db } from '../database.ts'
import type { TaskError, TaskOutcome } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'

/** Columns of a task that its outcome is read from. */
export type EndedTask = {
  readonly id: string
  readonly account_id: string
  readonly state: TaskState
  /** Set for a completed task. */
  readonly won_attempt: number | null
  readonly outputs: readonly string[]
  readonly result: Record<string, unknown> | null
  readonly error: TaskError | null
}

/** Returns the final outcome of a task, undefined while it lives. */
export function outcomeOf(task: EndedTask): TaskOutcome | undefined {
  switch (task.state) {
    case 'queued':
    case 'held':
    case 'leased':
      return undefined
    case 'completed':
      return {
        state: 'completed',
        attempt: task.won_attempt ?? 0,
        result: task.result ?? {},
        outputs: outputsOf(task),
      }
    case 'failed':
      return { state: 'failed', error: task.error ?? { code: 'internal', message: 'It failed.' } }
    case 'cancelled':
      return { state: 'cancelled' }
    default:
      return task.state satisfies never
  }
}

/** Writes the task's event into the outbox; call it in the transaction that ended the task. */
export async function writeWord(
  db: Db,
  { token, task }: { token: Buffer; task: EndedTask },
): Promise<void> {
  const outcome = outcomeOf(task)
  if (outcome === undefined) throw new Error(`Only an ended task has an event. Got ${task.state}`)
  await db
    .insertInto('task_words')
    .values({ task_id: task.id, token, outcome: jsonb(outcome) })
    .execute()
  await sql`select pg_notify('task_words', '')`.execute(db)
}

function outputsOf(task: EndedTask): Record<string, string> {
  const attempt = task.won_attempt ?? 0
  const keyOf = (name: string) =>
    taskOutputKey({ accountId: task.account_id, taskId: task.id, attempt, name })
  return Object.fromEntries(task.outputs.map((name) => [name, keyOf(name)]))
}
