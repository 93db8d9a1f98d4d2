import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Ends every session of a user and disconnects their agents. @returns how many of each */
export async function endAllSessions(
  db: Db,
  { userId, reason }: { userId: string; reason: string },
): Promise<{ readonly sessions: number; readonly agents: number }> {
  const { rows } = await sql<{ sessions: number; agents: number }>`
    with ended as (
      update sessions set ended_at = now(), end_reason = ${reason}
      where user_id = ${userId} and ended_at is null and expires_at > now() returning id
    ), disconnected as (
      update agent_grants set revoked_at = now(), revoke_reason = ${reason}
      where user_id = ${userId} and revoked_at is null returning id
    )
    select (select count(*) from ended) as sessions,
      (select count(*) from disconnected) as agents`.execute(db)
  return rows[0] ?? { sessions: 0, agents: 0 }
}
