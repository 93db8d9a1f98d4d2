import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds a user by email, in any case, with the stored password hash. */
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
