import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Replaces a user's password, unless it is no longer the known one. Ends all their other sessions, and
 * disconnects their agents.
 * @returns false: it was changed meanwhile
 */
export async function changePassword(
  db: Db,
  {
    userId,
    sessionId,
    known,
    next,
  }: { userId: string; sessionId: string; known: string; next: string },
): Promise<boolean> {
  const { rows } = await sql`
    with changed as (
      update users set password = ${next} where id = ${userId} and password = ${known} returning id
    ), ended as (
      update sessions set ended_at = now(), end_reason = 'new password' from changed
      where sessions.user_id = changed.id and ended_at is null and sessions.id <> ${sessionId}
    ), disconnected as (
      update agent_grants set revoked_at = now(), revoke_reason = 'new password' from changed
      where agent_grants.user_id = changed.id and revoked_at is null
    )
    select id from changed`.execute(db)
  return rows.length > 0
}
