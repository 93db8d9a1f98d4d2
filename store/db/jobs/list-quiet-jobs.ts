import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** `group`: the workflow that it shares with others. */
export type QuietJob = {
  readonly id: string
  readonly accountId: string
  readonly bulkId: string | null
  readonly group: string | null
}

/**
 * Finds open jobs with a started workflow whose row was untouched for a while: Temporal may have
 * lost or ended their workflow. The longest untouched come first.
 */
export async function listQuietJobs(
  db: Db,
  { quietMs, limit }: { quietMs: number; limit: number },
): Promise<readonly QuietJob[]> {
  const { rows } = await sql<QuietJob>`
    select id, account_id as "accountId", bulk_id as "bulkId", workflow_group as "group" from jobs
    where finished_at is null and workflow_started_at is not null
      and updated_at < now() - make_interval(secs => ${quietMs / 1000})
    order by updated_at limit ${limit}`.execute(db)
  return rows
}
