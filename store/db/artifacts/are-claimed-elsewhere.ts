import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Answers whether other jobs of the account that live and are not held render any of these segments. */
export async function areClaimedElsewhere(
  db: Db,
  {
    accountId,
    jobId,
    fingerprints,
  }: {
    readonly accountId: string
    readonly jobId: string
    readonly fingerprints: readonly string[]
  },
): Promise<boolean> {
  const { rows } = await sql<{ areClaimed: boolean }>`
    select exists (
      select from segment_claims c join jobs j on j.id = c.job_id
        and j.finished_at is null and j.held_at is null
      where c.account_id = ${accountId} and c.job_id <> ${jobId}
        and c.fingerprint = any(${fingerprints})
    ) as "areClaimed"`.execute(db)
  return rows[0]?.areClaimed ?? false
}
