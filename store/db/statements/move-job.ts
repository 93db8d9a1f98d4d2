import { sql } from 'kysely'
import { isFinal, type JobState, sourcesOf } from '../../../core/jobs.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** `state`: what the job is in now. Not `moved`: it was in `to` already, or may not move there. */
export type MovedJob =
  | {
      readonly moved: true
      readonly state: JobState
      readonly creditsReserved: number
      readonly templateId: string | null
      /** Since its submission. */
      readonly ageSeconds: number
    }
  | { readonly moved: false; readonly state: JobState }

/**
 * With enter-stage.ts the only statement that changes the state of a job that was begun: it moves where
 * core/jobs.ts allows it and nowhere else, whoever else tries at the same time. Undefined when the account has no such job.
 */
export async function moveJob(
  db: Db,
  {
    accountId,
    jobId,
    to,
    reason,
  }: { accountId: string; jobId: string; to: JobState; reason: string },
): Promise<MovedJob | undefined> {
  const { rows } = await sql<MovedJob>`
    ${prepared('move-job')} update jobs set state = ${to}, state_reason = ${reason}, updated_at = now(),
      started_at = coalesce(started_at, case when ${to}::text = 'resolving' then now() end),
      finished_at = case when ${isFinal(to)}::boolean then now() end
    where id = ${jobId} and account_id = ${accountId} and state = any(${sourcesOf(to)})
    returning true as moved, state, credits_reserved as "creditsReserved",
      template_id as "templateId",
      extract(epoch from now() - created_at)::float8 as "ageSeconds"`.execute(db)
  if (rows[0] !== undefined) return rows[0]
  const job = await db
    .selectFrom('jobs')
    .select('state')
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return job && { moved: false, state: job.state }
}
