import { sql } from 'kysely'
import {
  type FinalJobState,
  type JobError,
  type JobResult,
  sourcesOf,
} from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import { filesExpireAt, previewExpiresAt } from './files-expire-at.ts'

/**
 * The end of a job. A failed one is never charged; a cancelled one for the frames painted for it.
 */
export type JobEnding =
  | {
      readonly to: 'completed'
      readonly result: JobResult
      readonly outputKey: string
      readonly thumbnailKey: string | null
      /** Absent = all that was held; never more. */
      readonly charge?: number
    }
  | { readonly to: 'failed'; readonly error: JobError }
  | { readonly to: 'cancelled'; readonly charge: number }

export type EndedJob = {
  readonly jobId: string
  readonly state: FinalJobState
  readonly creditsReserved: number
  readonly creditsCharged: number
  readonly templateId: string | null
  readonly isPreview: boolean
  /** Seconds since its submission. */
  readonly ageSeconds: number
}

/**
 * Ends jobs of an account, each named once. Besides enter-stages.ts this is the only statement that
 * changes the state of a job in work. It makes only moves that core/jobs/jobs.ts allows, whatever runs
 * at the same time. Answers the moved jobs.
 */
export async function endJobs(
  db: Db,
  {
    accountId,
    ends,
  }: {
    accountId: string
    ends: readonly { readonly jobId: string; readonly reason: string; readonly end: JobEnding }[]
  },
): Promise<readonly EndedJob[]> {
  const jobIds = ends.map(({ jobId }) => jobId)
  const columns = ends.map(({ end }) => columnsOf(end))
  const { rows } = await sql<EndedJob>`
    ${prepared('end-jobs')} with ending as materialized (
      select id, move_to, string_to_array(sources, ' ') as sources, reason, charge,
        result::jsonb as result, output_key, thumbnail_key, error::jsonb as error
      from unnest(${jobIds}::uuid[], ${ends.map(({ end }) => end.to)}::text[],
        ${ends.map(({ end }) => sourcesOf(end.to).join(' '))}::text[],
        ${ends.map(({ reason }) => reason)}::text[], ${columns.map(({ charge }) => charge)}::bigint[],
        ${columns.map(({ result }) => result)}::text[],
        ${columns.map(({ outputKey }) => outputKey)}::text[],
        ${columns.map(({ thumbnailKey }) => thumbnailKey)}::text[],
        ${columns.map(({ error }) => error)}::text[])
        as ending (id, move_to, sources, reason, charge, result, output_key, thumbnail_key, error)
    ), locked as materialized (
      -- In the order of their ids, as everything that locks several jobs: no deadlocks.
      select id from jobs where id = any(${jobIds}::uuid[]) and account_id = ${accountId}
      order by id for no key update
    )
    -- Nothing reads the request of an ended preview again; of a draft, it shall not lie in clear.
    update jobs set request = case when preview is null then request else '{}'::jsonb end,
      name = case when preview is null then name else 'preview' end,
      state = ending.move_to, state_reason = ending.reason, updated_at = now(),
      finished_at = now(),
      credits_charged = least(coalesce(ending.charge, credits_reserved), credits_reserved),
      files_expire_at = case when preview is not null then ${previewExpiresAt}
        when ending.move_to = 'completed' then ${filesExpireAt('completed')}
        else ${filesExpireAt('failed')} end,
      result = coalesce(ending.result, jobs.result),
      output_key = coalesce(ending.output_key, jobs.output_key),
      thumbnail_key = coalesce(ending.thumbnail_key, jobs.thumbnail_key),
      error = coalesce(ending.error, jobs.error)
    from ending join locked on locked.id = ending.id
    where jobs.id = any(${jobIds}::uuid[]) and jobs.id = ending.id
      and jobs.state = any(ending.sources)
    returning jobs.id as "jobId", jobs.state, credits_reserved as "creditsReserved",
      credits_charged as "creditsCharged", template_id as "templateId",
      preview is not null as "isPreview",
      extract(epoch from now() - created_at)::float8 as "ageSeconds"`.execute(db)
  return rows
}

const nothing = { charge: null, result: null, outputKey: null, thumbnailKey: null, error: null }

/** Null: the column stays; a null charge means all that was held. */
function columnsOf(end: JobEnding) {
  switch (end.to) {
    case 'completed': {
      const { charge = null, result, outputKey, thumbnailKey } = end
      return { ...nothing, charge, result: jsonb(result), outputKey, thumbnailKey }
    }
    case 'failed':
      return { ...nothing, charge: 0, error: jsonb(end.error) }
    case 'cancelled':
      return { ...nothing, charge: end.charge }
    default:
      return end satisfies never
  }
}
