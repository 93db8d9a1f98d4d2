import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type OpenBulk = { readonly id: string; readonly accountId: string }

/**
 * Finds bulks with open jobs whose workflow was never started, or has not been checked for a while:
 * Temporal may have lost it. The grace leaves the api time to start it. The longest unseen come
 * first.
 */
export async function bulksToLookAfter(
  db: Db,
  { graceMs, quietMs, limit }: { graceMs: number; quietMs: number; limit: number },
): Promise<readonly OpenBulk[]> {
  const { rows } = await sql<OpenBulk>`
    select id, account_id as "accountId" from bulks
    where id in (select bulk_id from jobs where bulk_id is not null and finished_at is null)
      and case when workflow_seen_at is null
        then created_at < now() - make_interval(secs => ${graceMs / 1000})
        else workflow_seen_at < now() - make_interval(secs => ${quietMs / 1000}) end
    order by coalesce(workflow_seen_at, created_at) limit ${limit}`.execute(db)
  return rows
}
