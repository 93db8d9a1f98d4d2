import { sql } from 'kysely'
import type { ErrorCode } from '../../../core/errors.ts'
import type { JobStage, JobState } from '../../../core/jobs/jobs.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'

/** Times of an ended job. */
export type JobTimes = {
  readonly accountId: string
  readonly bulkId: string | null
  readonly type: 'video' | 'image'
  readonly state: JobState
  readonly errorCode: ErrorCode | null
  readonly framesTotal: number
  readonly framesReused: number
  readonly framesPainted: number
  readonly createdAt: Date
  readonly finishedAt: Date
  /** Time of first entry into each stage, ISO 8601. */
  readonly stages: Partial<Record<JobStage, string>>
  /** Number of its tasks of each kind, and the last one's end, ISO 8601. */
  readonly tasks: Partial<Record<TaskKind, { readonly count: number; readonly endedAt: string }>>
}

/** Reads the times of an ended job. Undefined: the account has no such job, or it is open. */
export async function readJobTimes(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<JobTimes | undefined> {
  const { rows } = await sql<JobTimes>`
    select j.account_id as "accountId", j.bulk_id as "bulkId", j.type, j.state,
      j.error->>'code' as "errorCode", j.frames_total as "framesTotal",
      j.frames_reused as "framesReused", j.frames_painted as "framesPainted",
      j.created_at as "createdAt", j.finished_at as "finishedAt", j.stages,
      (
        select coalesce(jsonb_object_agg(kind, ended), '{}') from (
          select t.kind, jsonb_build_object('count', count(*),
            'endedAt', to_jsonb(max(coalesce(t.finished_at, j.finished_at)))) as ended
          from tasks t where t.job_id = j.id group by t.kind
        ) as of_kind
      ) as tasks
    from jobs j
    where j.id = ${jobId} and j.account_id = ${accountId} and j.finished_at is not null`.execute(db)
  return rows[0]
}
