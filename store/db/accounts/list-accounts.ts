import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type AccountView, accountColumns } from './get-account.ts'

/** Lists every account, newest first. */
export async function listAccounts(db: Db): Promise<readonly AccountView[]> {
  const { rows } = await sql<AccountView>`
    select ${accountColumns} from accounts order by created_at desc, id`.execute(db)
  return rows
}
