import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds other jobs of the account that render segments which this job waits for. */
export async function findLenders(
  db: Db,
  { accountId, jobId }: { accountId: string; jobId: string },
): Promise<readonly string[]> {
  const { rows } = await sql<{ jobId: string }>`
    select distinct c.job_id as "jobId"
    from jobs j cross join lateral unnest(j.awaited_segments) as awaited (fingerprint)
      join segment_claims c
        on c.account_id = j.account_id and c.fingerprint = awaited.fingerprint
    where j.id = ${jobId} and j.account_id = ${accountId} and c.job_id <> j.id`.execute(db)
  return rows.map(({ jobId }) => jobId)
}
