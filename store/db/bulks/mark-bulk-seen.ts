import type { Db } from '../database.ts'

/** Records that Temporal runs the bulk's workflow. */
export async function markBulkSeen(
  db: Db,
  { accountId, bulkId }: { accountId: string; bulkId: string },
): Promise<void> {
  await db
    .updateTable('bulks')
    .set({ workflow_seen_at: new Date() })
    .where('id', '=', bulkId)
    .where('account_id', '=', accountId)
    .execute()
}
