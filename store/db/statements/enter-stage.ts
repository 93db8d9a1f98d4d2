import { sql } from 'kysely'
import {
  type JobFrames,
  type JobStage,
  type JobState,
  jobStateOf,
  sourcesOf,
} from '../../../core/jobs.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Notes that a job has come to a stage, and moves its state when the stage shows as another one.
 * May be repeated; the first time counts. `frames` and `awaited`, the segments that are left to other
 * jobs, are given once the film is planned.
 * @returns the job's state now; a final one tells the workflow to stop. Undefined: no such job.
 */
export async function enterStage(
  db: Db,
  {
    accountId,
    jobId,
    stage,
    frames,
    awaited,
  }: {
    accountId: string
    jobId: string
    stage: JobStage
    frames?: Omit<JobFrames, 'done'>
    awaited?: readonly string[]
  },
): Promise<JobState | undefined> {
  const to = jobStateOf(stage)
  const sources = to === undefined ? [] : sourcesOf(to)
  // The move is that of move-job.ts, in the same statement: a job comes to six stages in a second.
  const { rows } = await sql<{ state: JobState }>`
    ${prepared('enter-stage')} update jobs set stage = ${stage}, updated_at = now(),
      state = case when state = any(${sources}::text[]) then ${to ?? null}::text else state end,
      state_reason = case when state = any(${sources}::text[]) then ${`stage ${stage}`}::text
        else state_reason end,
      started_at = coalesce(started_at, case
        when state = any(${sources}::text[]) and ${to ?? null}::text = 'resolving' then now() end),
      stages = jsonb_build_object(${stage}::text, to_jsonb(now())) || stages,
      frames_total = coalesce(${frames?.total ?? null}::integer, frames_total),
      frames_reused = coalesce(${frames?.reused ?? null}::integer, frames_reused),
      frames_painted = coalesce(${frames?.painted ?? null}::integer, frames_painted),
      awaited_segments = coalesce(${awaited ?? null}::text[], awaited_segments)
    where id = ${jobId} and account_id = ${accountId} and finished_at is null
    returning state`.execute(db)
  if (rows[0] !== undefined) return rows[0].state
  const job = await db
    .selectFrom('jobs')
    .select('state')
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return job?.state
}
