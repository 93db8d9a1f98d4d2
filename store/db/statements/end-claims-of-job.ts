import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Lets go of all that a job has claimed. */
export async function endClaimsOfJob(
  db: Db,
  { accountId, jobId }: { readonly accountId: string; readonly jobId: string },
): Promise<void> {
  await sql`delete from segment_claims
    where account_id = ${accountId} and job_id = ${jobId}`.execute(db)
}
