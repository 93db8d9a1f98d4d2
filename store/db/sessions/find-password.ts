import type { Db } from '../database.ts'

/** Returns the stored hash of a user's password. */
export async function findPassword(db: Db, userId: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('users')
    .select('password')
    .where('id', '=', userId)
    .executeTakeFirst()
  return found?.password
}
