import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Returns the account of each job; previews are left out. */
export async function accountsOfJobs(
  db: Db,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; accountId: string }>`
    select id, account_id as "accountId" from jobs
    where id = any(${jobIds}::uuid[]) and preview is null`.execute(db)
  return new Map(rows.map(({ id, accountId }) => [id, accountId]))
}
