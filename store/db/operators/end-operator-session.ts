import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Ends a session of an operator: its tokens and refresh tokens are no longer accepted. */
export async function endOperatorSession(
  db: Db,
  { sessionId, reason }: { sessionId: string; reason: string },
): Promise<void> {
  await sql`
    update operator_sessions set ended_at = now(), end_reason = ${reason}
    where id = ${sessionId} and ended_at is null`.execute(db)
}
