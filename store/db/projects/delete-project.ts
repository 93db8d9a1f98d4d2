import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Deletes a draft for good. False when the account has no such draft. */
export async function deleteProject(
  db: Db,
  { accountId, projectId }: { accountId: string; projectId: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from projects where account_id = ${accountId} and id = ${projectId}`.execute(db)
  return numAffectedRows === 1n
}
