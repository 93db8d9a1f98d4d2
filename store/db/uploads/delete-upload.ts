import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Gives up an upload, stored or under way: its address ends now, and its object is removed later.
 * False when the account has no such upload.
 */
export async function deleteUpload(
  db: Db,
  { accountId, uploadId }: { accountId: string; uploadId: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update uploads set deleted_at = now()
    where account_id = ${accountId} and id = ${uploadId} and deleted_at is null`.execute(db)
  return numAffectedRows === 1n
}
