import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Lets go of all that a job has claimed. */
export async function endClaimsOfJob(
  db: Db,
  { accountId, jobId }: { readonly accountId: string; readonly jobId: string },
): Promise<void> {
  await sql`${prepared('end-claims-of-job')} delete from segment_claims
    where account_id = ${accountId} and job_id = ${jobId}`.execute(db)
}
