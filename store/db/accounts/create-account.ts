import type { Db } from '../database.ts'

/** Creates an account without credits. */
export async function createAccount(
  db: Db,
  { name, plan }: { name: string; plan: string },
): Promise<{ readonly id: string }> {
  return await db
    .insertInto('accounts')
    .values({ name, plan })
    .returning('id')
    .executeTakeFirstOrThrow()
}
