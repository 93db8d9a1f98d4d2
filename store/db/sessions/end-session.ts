import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Ends a session: its tokens and refresh tokens are no longer accepted. A user who signs out
 * disconnects their agents as well.
 */
export async function endSession(
  db: Db,
  {
    sessionId,
    reason,
    isSignOut = false,
  }: { sessionId: string; reason: string; isSignOut?: boolean },
): Promise<void> {
  await sql`
    with ended as (
      update sessions set ended_at = now(), end_reason = ${reason}
      where id = ${sessionId} and ended_at is null returning user_id
    )
    update agent_grants g set revoked_at = now(), revoke_reason = ${reason} from ended
    where g.user_id = ended.user_id and g.revoked_at is null and ${isSignOut}`.execute(db)
}
