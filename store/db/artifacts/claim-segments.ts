import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Claims segments for a job, except those that another job of the account has claimed which lives and
 * is not held. Answers the job's own fingerprints.
 */
export async function claimSegments(
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
): Promise<ReadonlySet<string>> {
  // Claims in one order, so that two concurrent jobs cannot block each other.
  const { rows } = await sql<{ fingerprint: string }>`
    ${prepared('claim-segments')} insert into segment_claims as claim (account_id, fingerprint, job_id)
    select ${accountId}, fingerprint, ${jobId}
    from unnest(${[...fingerprints].sort()}::text[]) with ordinality as f (fingerprint, nth)
    order by nth
    on conflict (account_id, fingerprint) do update set job_id = excluded.job_id
    where claim.job_id = excluded.job_id
      or exists (select from jobs where id = claim.job_id
        and (finished_at is not null or held_at is not null))
    returning fingerprint`.execute(db)
  return new Set(rows.map(({ fingerprint }) => fingerprint))
}
