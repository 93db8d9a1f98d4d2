import { sql } from 'kysely'
import {
  type JobFrames,
  type JobStage,
  type JobState,
  jobStateOf,
  sourcesOf,
} from '../../../core/jobs/jobs.ts'
import type { FilmFormat } from '../../../core/plan/formats.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import { statesOfJobs } from './states-of-jobs.ts'

/**
 * `frames`, `format` and `awaited` (segments left to other jobs) are given once the film is planned.
 */
export type StageEntry = {
  readonly jobId: string
  readonly stage: JobStage
  readonly frames?: Omit<JobFrames, 'done'>
  readonly format?: FilmFormat
  readonly awaited?: readonly string[]
}

/**
 * Records that jobs of an account have entered stages, one each, and moves a job's state where the
 * stage implies another one. May be repeated; the first time counts.
 * @returns each job's present state, in the order of the entries; a final one tells the workflow to
 * stop. Undefined: the account has no such job.
 */
export async function enterStages(
  db: Db,
  { accountId, entries }: { accountId: string; entries: readonly StageEntry[] },
): Promise<readonly (JobState | undefined)[]> {
  const jobIds = entries.map(({ jobId }) => jobId)
  const targets = entries.map(({ stage }) => jobStateOf(stage))
  const sources = targets.map((to) => (to === undefined ? '' : sourcesOf(to).join(' ')))
  const awaited = entries.map((entry) => (entry.awaited ? JSON.stringify(entry.awaited) : null))
  // The moves are those of end-jobs.ts, made in the same statement: a job enters six stages in a
  // second.
  const { rows } = await sql<{ id: string; state: JobState }>`
    ${prepared('enter-stages')} with entry as materialized (
      select job_id, stage, move_to, string_to_array(sources, ' ') as sources, total, reused,
        painted, awaited::jsonb as awaited, format
      from unnest(${jobIds}::uuid[], ${entries.map(({ stage }) => stage)}::text[],
        ${targets.map((to) => to ?? null)}::text[], ${sources}::text[],
        ${entries.map(({ frames }) => frames?.total ?? null)}::integer[],
        ${entries.map(({ frames }) => frames?.reused ?? null)}::integer[],
        ${entries.map(({ frames }) => frames?.painted ?? null)}::integer[], ${awaited}::text[],
        ${entries.map(({ format }) => format ?? null)}::text[])
        as entry (job_id, stage, move_to, sources, total, reused, painted, awaited, format)
    ), locked as materialized (
      -- In the order of their ids, as everything that locks several jobs: no deadlocks.
      select id from jobs
      where id = any(${jobIds}::uuid[]) and account_id = ${accountId} and finished_at is null
      order by id for no key update
    )
    update jobs set stage = entry.stage, updated_at = now(),
      state = case when state = any(entry.sources) then entry.move_to else state end,
      state_reason = case when state = any(entry.sources) then 'stage ' || entry.stage
        else state_reason end,
      started_at = coalesce(started_at, case
        when state = any(entry.sources) and entry.move_to = 'resolving' then now() end),
      stages = jsonb_build_object(entry.stage, to_jsonb(now())) || stages,
      frames_total = coalesce(entry.total, frames_total),
      frames_reused = coalesce(entry.reused, frames_reused),
      frames_painted = coalesce(entry.painted, frames_painted),
      film_format = coalesce(entry.format, film_format),
      awaited_segments = case when entry.awaited is null then awaited_segments
        else array(select jsonb_array_elements_text(entry.awaited)) end
    from entry join locked on locked.id = entry.job_id
    where jobs.id = any(${jobIds}::uuid[]) and jobs.id = entry.job_id and jobs.finished_at is null
    returning jobs.id, jobs.state`.execute(db)
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const ended = jobIds.filter((id) => !states.has(id))
  const finals = await statesOfJobs(db, { accountId, jobIds: ended })
  return jobIds.map((id) => states.get(id) ?? finals.get(id))
}
