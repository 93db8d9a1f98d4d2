import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds an operator who may sign in, by email in any case, with the stored password hash. */
export async function findOperator(
  db: Db,
  email: string,
): Promise<{ readonly id: string; readonly password: string } | undefined> {
  const { rows } = await sql<{ id: string; password: string }>`
    select id, password from operators
    where lower(email) = lower(${email}) and disabled_at is null`.execute(db)
  return rows[0]
}
