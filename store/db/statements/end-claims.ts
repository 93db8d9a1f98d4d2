import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** What is in the store needs no claim any more. */
export async function endClaims(
  db: Db,
  { accountId, fingerprints }: { accountId: string; fingerprints: readonly string[] },
): Promise<void> {
  await sql`delete from segment_claims
    where account_id = ${accountId} and fingerprint = any(${fingerprints})`.execute(db)
}
