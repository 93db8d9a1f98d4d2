import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Ends a grant: its tokens are refused from now on. False: it had ended, or there is none. */
export async function endAgentGrant(
  db: Db,
  { id, reason }: { id: string; reason: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update agent_grants set revoked_at = now(), revoke_reason = ${reason}
    where id = ${id} and revoked_at is null`.execute(db)
  return numAffectedRows === 1n
}
