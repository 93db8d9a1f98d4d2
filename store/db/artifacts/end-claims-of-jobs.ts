import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Releases all claims of an account's jobs. */
export async function endClaimsOfJobs(
  db: Db,
  { accountId, jobIds }: { readonly accountId: string; readonly jobIds: readonly string[] },
): Promise<void> {
  await sql`${prepared('end-claims-of-jobs')} delete from segment_claims
    where account_id = ${accountId} and job_id = any(${jobIds}::uuid[])`.execute(db)
}
