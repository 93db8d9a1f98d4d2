import { sql } from 'kysely'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'

/** A task's time in the queue before an attempt at it. */
export type TaskWait = {
  readonly taskId: string
  readonly attempt: number
  readonly jobId: string
  /** The task's name in its job. */
  readonly name: string
  readonly kind: TaskKind
  /** Time when it was queued, or the attempt before it ended. */
  readonly since: Date
  readonly leasedAt: Date
}

/**
 * Lists the waits that ended with these attempts. A straggler's second attempt did not wait: it has
 * none.
 */
export async function listWaits(
  db: Db,
  attempts: readonly { readonly taskId: string; readonly attempt: number }[],
): Promise<readonly TaskWait[]> {
  const { rows } = await sql<TaskWait>`
    select a.task_id as "taskId", a.attempt, t.job_id as "jobId", t.name, t.kind,
      coalesce(before.ended_at, t.created_at) as since, a.leased_at as "leasedAt"
    from unnest(
      ${attempts.map(({ taskId }) => taskId)}::uuid[],
      ${attempts.map(({ attempt }) => attempt)}::integer[]
    ) as leased (task_id, attempt)
      join attempts a on a.task_id = leased.task_id and a.attempt = leased.attempt
      join tasks t on t.id = a.task_id
      cross join lateral (
        select max(b.ended_at) as ended_at from attempts b
        where b.task_id = a.task_id and b.attempt < a.attempt
      ) before
    where not exists (
      select from attempts other where other.task_id = a.task_id and other.attempt < a.attempt
        and (other.ended_at is null or other.ended_at > a.leased_at)
    )`.execute(db)
  return rows
}
