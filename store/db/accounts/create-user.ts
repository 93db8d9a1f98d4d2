import pg from 'pg'
import type { Db } from '../database.ts'

export type NewUser = {
  readonly accountId: string
  readonly email: string
  /** argon2id, as a PHC string. */
  readonly password: string
  readonly firstName: string
  readonly lastName: string
}

/** Creates a user. Undefined: the email belongs to another user, whatever its case. */
export async function createUser(
  db: Db,
  user: NewUser,
): Promise<{ readonly id: string } | undefined> {
  try {
    return await db
      .insertInto('users')
      .values({
        account_id: user.accountId,
        email: user.email,
        password: user.password,
        first_name: user.firstName,
        last_name: user.lastName,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'users_email') return undefined
    throw error
  }
}
