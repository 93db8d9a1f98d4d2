import { type RawBuilder, sql } from 'kysely'
import type { AttemptState } from '../../../core/queue/task-states.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskError } from '../fleet-schema.ts'

export type AttemptView = {
  readonly taskId: string
  readonly attempt: number
  readonly task: string
  readonly kind: TaskKind
  /** Fetched by the task; null for tasks of other kinds. */
  readonly url: string | null
  readonly jobId: string
  readonly accountId: string
  readonly node: string
  readonly state: AttemptState
  readonly framesDone: number
  readonly leasedAt: Date
  /** Duration so far, while it runs. */
  readonly seconds: number
  readonly error: TaskError | null
  readonly logTail: string | null
  /** Seconds of each stage as a node reported them with a taken result; unchecked. */
  readonly stages: unknown
}

/** Lists attempts at a task, at a job's tasks, or of a node, the latest first. */
export async function listAttempts(
  db: Db,
  { of, id, limit }: { of: 'task' | 'job' | 'node'; id: string; limit: number },
): Promise<readonly AttemptView[]> {
  const { rows } = await sql<AttemptView>`
    select a.task_id as "taskId", a.attempt, t.name as task, t.kind, t.spec->>'url' as url, a.job_id as "jobId",
      a.account_id as "accountId", coalesce(n.name, gone.name, a.node_id::text) as node, a.state,
      a.frames_done as "framesDone", a.leased_at as "leasedAt", a.error, a.log_tail as "logTail",
      case when a.attempt = t.won_attempt then t.result->'seconds' end as stages,
      extract(epoch from coalesce(a.ended_at, now()) - a.leased_at)::float8 as seconds
    from attempts a join tasks t on t.id = a.task_id left join nodes n on n.id = a.node_id
      left join gone_nodes gone on gone.id = a.node_id
    where ${columns[of]} = ${id}
    order by a.leased_at desc, a.task_id limit ${limit}`.execute(db)
  return rows
}

const columns: Readonly<Record<'task' | 'job' | 'node', RawBuilder<unknown>>> = {
  task: sql`a.task_id`,
  job: sql`a.job_id`,
  node: sql`a.node_id`,
}
