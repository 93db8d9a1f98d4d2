import { sql } from 'kysely'
import type { AttemptState, TaskState } from '../../../core/queue/task-states.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskError } from '../fleet-schema.ts'

/** Attempts that one timeline has at most; the first ones. */
const mostAttempts = 5_000

export type TimelineTask = {
  readonly id: string
  readonly kind: TaskKind
  readonly state: TaskState
  readonly queuedAt: Date
  /** Indexes of the segments that it renders; null: it renders none by index. */
  readonly segments: readonly number[] | null
}

export type TimelineAttempt = {
  readonly taskId: string
  readonly number: number
  readonly nodeId: string
  readonly state: AttemptState
  readonly frames: number
  readonly leasedAt: Date
  readonly endedAt: Date | null
  readonly error: TaskError | null
  /** Outputs that it has stored so far, like `segment-3`. */
  readonly written: readonly string[]
}

export type JobTimeline = {
  readonly tasks: readonly TimelineTask[]
  /** In the order of their leases. */
  readonly attempts: readonly TimelineAttempt[]
  readonly awaited: readonly string[]
}

/** Reads all tasks of an account's job with their attempts. */
export async function readTimeline(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<JobTimeline> {
  const [tasks, attempts, job] = await Promise.all([
    sql<TimelineTask>`
      select id, kind, state, created_at as "queuedAt", spec->'segments' as segments from tasks
      where job_id = ${jobId} and account_id = ${accountId} order by created_at, name`.execute(db),
    sql<TimelineAttempt>`
      select task_id as "taskId", attempt as number, node_id as "nodeId", state,
        frames_done as frames, leased_at as "leasedAt", ended_at as "endedAt", error, written
      from attempts where job_id = ${jobId} and account_id = ${accountId}
      order by leased_at, task_id, attempt limit ${mostAttempts}`.execute(db),
    sql<{ awaited: readonly string[] }>`
      select awaited_segments as awaited from jobs
      where id = ${jobId} and account_id = ${accountId}`.execute(db),
  ])
  return { tasks: tasks.rows, attempts: attempts.rows, awaited: job.rows[0]?.awaited ?? [] }
}
