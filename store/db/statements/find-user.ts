import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Who has an email, with what their password is stored as. The email's case does not matter. */
export async function findUser(
  db: Db,
  email: string,
): Promise<
  { readonly id: string; readonly accountId: string; readonly password: string } | undefined
> {
  const { rows } = await sql<{ id: string; accountId: string; password: string }>`
    select id, account_id as "accountId", password from users
    where lower(email) = lower(${email})`.execute(db)
  return rows[0]
}
