import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Marks a token as used. False: it was used before, or is gone. Of parallel uses one wins. */
export async function consumeOAuthToken(db: Db, sha256: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update oauth_tokens set consumed_at = clock_timestamp()
    where sha256 = ${sha256} and consumed_at is null`.execute(db)
  return numAffectedRows === 1n
}

/** Notes the token that replaces a used one, sealed under the used one. */
export async function nameSuccessor(
  db: Db,
  { sha256, successor }: { sha256: Buffer; successor: string },
): Promise<void> {
  await sql`update oauth_tokens set successor = ${successor} where sha256 = ${sha256}`.execute(db)
}

/** Removes a token. */
export async function deleteOAuthToken(db: Db, sha256: Buffer): Promise<void> {
  await sql`delete from oauth_tokens where sha256 = ${sha256}`.execute(db)
}
