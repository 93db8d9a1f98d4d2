import { type RawBuilder, sql } from 'kysely'
import type { JobError, JobFrames, JobResult, JobStage, JobState } from '../../../core/jobs/jobs.ts'
import type { FilmFormat } from '../../../core/plan/formats.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { taskOutputKey } from '../../objects/keys.ts'
import type { Db } from '../database.ts'

/** A job as its customer may see it, with the progress of its tasks. */
export type JobView = {
  readonly id: string
  readonly state: JobState
  readonly stage: JobStage | null
  readonly type: 'video' | 'image'
  readonly name: string
  readonly templateId: string | null
  readonly bulkId: string | null
  /** Its item in the bulk's request, from 0. */
  readonly bulkIndex: number | null
  readonly creditsReserved: number
  readonly creditsCharged: number
  readonly frames: JobFrames
  /** 1 = next; null when the job does not wait any more. */
  readonly queuePosition: number | null
  readonly stages: Partial<Record<JobStage, string>>
  readonly result: JobResult | null
  readonly error: JobError | null
  readonly warnings: readonly Warning[]
  readonly outputKey: string | null
  readonly thumbnailKey: string | null
  /** Format of a film's file; null until it is planned. */
  readonly filmFormat: FilmFormat | null
  /** A small picture of the segment that was finished last. */
  readonly previewKey: string | null
  /** Time until which its files are kept; null until it has ended. */
  readonly filesExpireAt: Date | null
  readonly filesRemovedAt: Date | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly updatedAt: Date
  readonly finishedAt: Date | null
}

type Row = Omit<JobView, 'frames' | 'previewKey'> & {
  readonly framesTotal: number
  readonly framesReused: number
  readonly framesPainted: number
  readonly framesDone: number
  readonly preview: { accountId: string; taskId: string; attempt: number } | null
}

/** Finds one job of an account; undefined for another account's. */
export async function getJob(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<JobView | undefined> {
  const [job] = await readJobs(db, sql`j.account_id = ${accountId} and j.id = ${jobId}`, {
    limit: 1,
    offset: 0,
  })
  return job
}

/** Finds the named jobs of an account, in any order. */
export async function getJobs(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<readonly JobView[]> {
  const condition = sql`j.account_id = ${accountId} and j.id = any(${jobIds}::uuid[])`
  return await readJobs(db, condition, { limit: jobIds.length, offset: 0 })
}

/**
 * Jobs that match, newest first unless another order is given. Frames are summed over the
 * job's tasks on reading. A counter on the job's row would be written by every node every five
 * seconds, and would drift when attempts fail. The page is cut out first: sums and places in the
 * queue of the rows before it would take seconds.
 */
export async function readJobs(
  db: Db,
  condition: RawBuilder<unknown>,
  {
    limit,
    offset,
    order = sql`j.created_at desc, j.id`,
  }: { limit: number; offset: number; order?: RawBuilder<unknown> },
): Promise<JobView[]> {
  const { rows } = await sql<Row>`
    select j.id, j.state, j.stage, j.type, j.name, j.template_id as "templateId",
      j.bulk_id as "bulkId", j.bulk_index as "bulkIndex",
      j.credits_reserved as "creditsReserved", j.credits_charged as "creditsCharged",
      j.frames_total as "framesTotal", j.frames_reused as "framesReused",
      j.frames_painted as "framesPainted",
      coalesce((
        select sum(t.frames_done)::integer from tasks t where t.job_id = j.id
      ), 0) as "framesDone",
      case when j.state = 'queued'
        then queue_position(j.created_at, j.id, j.bulk_id) end as "queuePosition",
      j.stages, j.result, j.error, j.warnings,
      case when j.files_removed_at is null then (
        select json_build_object('accountId', t.account_id, 'taskId', t.id,
          'attempt', t.preview_attempt)
        from tasks t where t.job_id = j.id and t.previewed_at is not null
        order by t.previewed_at desc limit 1
      ) end as preview,
      j.files_expire_at as "filesExpireAt", j.files_removed_at as "filesRemovedAt",
      j.film_format as "filmFormat", j.output_key as "outputKey", j.thumbnail_key as "thumbnailKey",
      j.created_at as "createdAt", j.started_at as "startedAt",
      j.updated_at as "updatedAt", j.finished_at as "finishedAt"
    from (
      select * from jobs j where ${condition}
      order by ${order}
      limit ${limit} offset ${offset}
    ) j
    order by ${order}`.execute(db)
  return rows.map(({ framesTotal, framesReused, framesPainted, framesDone, preview, ...job }) => ({
    ...job,
    previewKey: preview && taskOutputKey({ ...preview, name: 'preview' }),
    frames: {
      total: framesTotal,
      reused: framesReused,
      painted: framesPainted,
      done: framesDone,
    },
  }))
}
