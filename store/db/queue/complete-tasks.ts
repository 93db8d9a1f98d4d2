import { sql } from 'kysely'
import { mayTaskMove } from '../../../core/queue/task-states.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import { type CachedMedium, recordNodeMedia } from '../artifacts/record-node-media.ts'
import { type Db, inTransaction } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import {
  type Attempt,
  type AttemptStatus,
  attemptKey,
  type LockedTask,
  lockTasks,
  readAttempts,
} from './lock-attempt.ts'
import { outcomeOf } from './task-outcome.ts'

/** Report of a node that has finished a task. */
export type Completion = Attempt & { readonly result: Record<string, unknown> }

/** `failedNodes`: nodes that failed the task before this one did it. */
export type CompletedTask = {
  readonly jobId: string
  readonly kind: TaskKind
  readonly failedNodes: readonly string[]
}

/**
 * Ends tasks with their results in one transaction, which also writes the events to Temporal.
 * Answers in the order of the completions. Row locks serialize equal completions, so that one has
 * an effect and the rest repeat. Of two concurrent attempts the first one wins and the other is
 * superseded.
 *
 * They share a transaction, because a commit waits for the disk, and commits that notify are
 * serialized in the whole database (docs/decisions/0036).
 */
export async function completeTasks(
  db: Db,
  completions: readonly Completion[],
): Promise<readonly AttemptStatus<CompletedTask>[]> {
  return await inTransaction(db, async (tx) => {
    const tasks = await lockTasks(tx, [...new Set(completions.map(({ taskId }) => taskId))])
    const states = await readAttempts(tx, completions)
    const won = new Map<string, Won>()
    const statuses = completions.map((completion): AttemptStatus<CompletedTask> => {
      const task = tasks.get(completion.taskId)
      if (task === undefined) return { status: 'unknown' }
      const answer = { jobId: task.job_id, kind: task.kind, failedNodes: task.failed_nodes }
      const state = states.get(attemptKey(completion))
      const winner = won.get(task.id)?.completion
      const again = winner !== undefined && attemptKey(winner) === attemptKey(completion)
      if (state === 'completed' || again) return { status: 'repeated', answer }
      if (winner !== undefined || state !== 'running' || !mayTaskMove(task.state, 'completed')) {
        return { status: 'stale' }
      }
      won.set(task.id, { task, completion })
      return { status: 'current', answer }
    })
    if (won.size > 0) {
      await endTasks(tx, [...won.values()])
      await recordNodeMedia(tx, [...won.values()].flatMap(mediaKept))
    }
    return statuses
  })
}

type Won = { readonly task: LockedTask; readonly completion: Completion }

async function endTasks(db: Db, won: readonly Won[]): Promise<void> {
  const ids = won.map(({ task }) => task.id)
  const outcomes = won.map(({ task, completion: { attempt, result } }) =>
    jsonb(outcomeOf({ ...task, state: 'completed', result, won_attempt: attempt })),
  )
  await sql`${prepared('complete-tasks')}
    with won as materialized (
      select id, attempt, outcome::jsonb as outcome from unnest(${ids}::uuid[],
        ${won.map(({ completion }) => completion.attempt)}::integer[], ${outcomes}::text[])
        as won (id, attempt, outcome)
    ), completed as (
      -- By an array, as take-tasks.ts: else Postgres may read all of the queue.
      update tasks set state = 'completed', result = won.outcome->'result',
        frames_done = frames_total, won_attempt = won.attempt, error = null, finished_at = now(),
        preview_attempt = case when outputs ? 'preview' then won.attempt end,
        previewed_at = case when outputs ? 'preview' then now() end
      from won where tasks.id = any(${ids}::uuid[]) and tasks.id = won.id
      returning tasks.id, tasks.task_token, tasks.frames_total
    ), ended as (
      -- Another attempt that still runs hears of it when it renews.
      update attempts set ended_at = now(),
        state = case when attempts.attempt = won.attempt then 'completed' else 'superseded' end,
        frames_done = case when attempts.attempt = won.attempt then completed.frames_total
          else attempts.frames_done end
      from won join completed on completed.id = won.id
      where attempts.task_id = any(${ids}::uuid[]) and attempts.task_id = won.id
        and attempts.state = 'running'
    ), events as (
      insert into task_words (task_id, token, outcome)
      select completed.id, completed.task_token, won.outcome
      from completed join won on won.id = completed.id
      returning 1
    )
    select pg_notify('task_words', '') from events limit 1`.execute(db)
}

/** Media that the node fetched for the task, or as the task. */
function mediaKept({ task, completion: { nodeId, result } }: Won): readonly CachedMedium[] {
  const fetched = task.kind === 'ingest' && typeof result.digest === 'string'
  const digests = fetched ? [String(result.digest)] : task.media
  return digests.map((digest) => ({ nodeId, digest }))
}
