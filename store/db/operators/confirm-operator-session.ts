import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Notes that the operator of a session has just given the password again. */
export async function confirmOperatorSession(db: Db, sessionId: string): Promise<void> {
  await sql`
    update operator_sessions set confirmed_at = now()
    where id = ${sessionId} and ended_at is null`.execute(db)
}
