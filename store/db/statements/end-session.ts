import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** From now on neither its tokens nor its refresh tokens are good for anything. */
export async function endSession(
  db: Db,
  { sessionId, reason }: { sessionId: string; reason: string },
): Promise<void> {
  await sql`
    update sessions set ended_at = now(), end_reason = ${reason}
    where id = ${sessionId} and ended_at is null`.execute(db)
}
