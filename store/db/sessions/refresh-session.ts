import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { endSession } from './end-session.ts'

/**
 * Replaces a refresh token (its sha256) by the next one. A token used twice is in two hands, one of
 * them a stranger's: its session ends for both.
 * @returns the session, or undefined when the token is not accepted (any more).
 */
export async function refreshSession(
  db: Db,
  { token, next }: { token: Buffer; next: Buffer },
): Promise<{ readonly id: string } | undefined> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string; used: boolean }>`
      select s.id, t.used_at is not null as used
      from refresh_tokens t join sessions s on s.id = t.session_id
      where t.sha256 = ${token} and s.ended_at is null and s.expires_at > now()
      for update of t, s`.execute(tx)
    const [session] = rows
    if (!session) return undefined
    if (session.used) {
      await endSession(tx, { sessionId: session.id, reason: 'a refresh token was used twice' })
      return undefined
    }
    await sql`
      with used as (
        update refresh_tokens set used_at = now() where sha256 = ${token}
        returning account_id, session_id
      )
      insert into refresh_tokens (sha256, account_id, session_id)
      select ${next}, account_id, session_id from used`.execute(tx)
    return { id: session.id }
  })
}
