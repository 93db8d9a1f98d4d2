import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Temporal has taken the job's workflow. */
export async function markWorkflowStarted(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<void> {
  await sql`
    update jobs set workflow_started_at = now()
    where id = ${jobId} and account_id = ${accountId} and workflow_started_at is null`.execute(db)
}
