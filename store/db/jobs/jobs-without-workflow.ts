import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type UnstartedJob = { readonly id: string; readonly accountId: string }

/**
 * Finds accepted jobs whose workflow is not known to run, because Temporal was away or the api died
 * in between. Jobs of a bulk wait for their turn instead. The grace leaves the api time to start
 * them itself.
 */
export async function jobsWithoutWorkflow(
  db: Db,
  { graceMs, limit }: { graceMs: number; limit: number },
): Promise<readonly UnstartedJob[]> {
  const { rows } = await sql<UnstartedJob>`
    select id, account_id as "accountId" from jobs
    where workflow_started_at is null and state = 'queued' and bulk_id is null
      and created_at < now() - make_interval(secs => ${graceMs / 1000})
    order by created_at limit ${limit}`.execute(db)
  return rows
}
