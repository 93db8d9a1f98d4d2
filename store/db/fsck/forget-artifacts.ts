import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Forgets what an account has to use again, by its keys, so that it is made anew. @returns how many */
export async function forgetArtifacts(
  db: Db,
  { accountId, keys }: { accountId: string; keys: readonly string[] },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from artifacts where account_id = ${accountId} and object_key = any(${keys}::text[])`.execute(
    db,
  )
  return Number(numAffectedRows)
}
