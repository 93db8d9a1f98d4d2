import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type AccountView, accountColumns } from './get-account.ts'

/**
 * Finds the account with an id, else those with a name, in any case of its letters; two at most.
 */
export async function findAccounts(db: Db, idOrName: string): Promise<readonly AccountView[]> {
  const { rows } = await sql<AccountView>`
    select ${accountColumns} from accounts
    where id::text = lower(${idOrName}) or lower(name) = lower(${idOrName})
    order by (id::text = lower(${idOrName})) desc, created_at limit 2`.execute(db)
  const [first] = rows
  return first?.id === idOrName.toLowerCase() ? [first] : rows
}
