import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type AccountView, accountColumns } from './get-account.ts'

/** Lists accounts, newest first; with `after` (an account's id) those that follow it. */
export async function listAccounts(
  db: Db,
  { limit, after }: { limit: number; after?: string },
): Promise<readonly AccountView[]> {
  const following =
    after === undefined
      ? sql`true`
      : sql`(created_at, id) < (select created_at, id from accounts where id = ${after})`
  const { rows } = await sql<AccountView>`
    select ${accountColumns} from accounts where ${following}
    order by created_at desc, id desc limit ${limit}`.execute(db)
  return rows
}
