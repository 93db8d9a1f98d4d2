import type { Db } from '../database.ts'

/**
 * Detaches a job from its lost shared workflow: it gets one of its own, which receives its task
 * events.
 */
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
