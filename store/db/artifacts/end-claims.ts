import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/** Releases the claims on segments that the store has now. */
export async function endClaims(
  db: Db,
  { accountId, fingerprints }: { accountId: string; fingerprints: readonly string[] },
): Promise<void> {
  await sql`${prepared('end-claims')} delete from segment_claims
    where account_id = ${accountId} and fingerprint = any(${fingerprints})`.execute(db)
}
