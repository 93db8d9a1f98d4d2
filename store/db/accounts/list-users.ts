import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type UserView = {
  readonly id: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly emailVerified: boolean
  readonly createdAt: Date
}

/** Lists an account's users, the oldest (its owner) first. */
export async function listUsers(db: Db, accountId: string): Promise<readonly UserView[]> {
  const { rows } = await sql<UserView>`
    select id, email, first_name as "firstName", last_name as "lastName",
      email_verified as "emailVerified", created_at as "createdAt"
    from users where account_id = ${accountId} order by created_at, id`.execute(db)
  return rows
}
