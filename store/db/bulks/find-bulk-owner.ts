import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type BulkOwner = { readonly accountId: string; readonly isSuspended: boolean }

/** Finds the account of any bulk: its signed address is the permission. */
export async function findBulkOwner(db: Db, bulkId: string): Promise<BulkOwner | undefined> {
  const { rows } = await sql<BulkOwner>`
    select a.id as "accountId", a.suspended_at is not null as "isSuspended"
    from bulks b join accounts a on a.id = b.account_id where b.id = ${bulkId}`.execute(db)
  return rows[0]
}
