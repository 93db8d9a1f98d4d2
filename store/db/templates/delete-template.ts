import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Deletes a template for good; its jobs stay. False when the account has no such template. */
export async function deleteTemplate(
  db: Db,
  { accountId, templateId }: { accountId: string; templateId: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from templates where account_id = ${accountId} and id = ${templateId}`.execute(db)
  return numAffectedRows === 1n
}
