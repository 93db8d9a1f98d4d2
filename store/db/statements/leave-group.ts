import type { Db } from '../database.ts'

/** The workflow that the job shared with others is lost: it gets one of its own, and words of its tasks go there. */
export async function leaveGroup(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ workflow_group: null })
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .execute()
}
