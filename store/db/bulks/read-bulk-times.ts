import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type BulkTimes = {
  readonly jobs: number
  readonly completed: number
  readonly createdAt: Date
  /** End of its last job. */
  readonly finishedAt: Date
}

/**
 * Reads the times of an ended bulk. Undefined: the account has no such bulk, or some of its jobs
 * are open.
 */
export async function readBulkTimes(
  db: Db,
  { accountId, bulkId }: { accountId: string; bulkId: string },
): Promise<BulkTimes | undefined> {
  const { rows } = await sql<BulkTimes>`
    select count(*)::integer as jobs,
      count(*) filter (where j.state = 'completed')::integer as completed,
      b.created_at as "createdAt", max(j.finished_at) as "finishedAt"
    from bulks b join jobs j on j.bulk_id = b.id
    where b.id = ${bulkId} and b.account_id = ${accountId}
    group by b.id having bool_and(j.finished_at is not null)`.execute(db)
  return rows[0]
}
