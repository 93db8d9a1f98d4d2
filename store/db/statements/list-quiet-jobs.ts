import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Jobs that have not ended, whose workflow was started and whose row nobody has touched for a while:
 * Temporal may have lost or ended their workflow. The longest untouched come first.
 */
export async function listQuietJobs(
  db: Db,
  { quietMs, limit }: { quietMs: number; limit: number },
): Promise<readonly { readonly id: string; readonly accountId: string }[]> {
  const { rows } = await sql<{ id: string; accountId: string }>`
    select id, account_id as "accountId" from jobs
    where finished_at is null and workflow_started_at is not null
      and updated_at < now() - make_interval(secs => ${quietMs / 1000})
    order by updated_at limit ${limit}`.execute(db)
  return rows
}
