import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Sets a password, ends every session of the user and disconnects their agents. False: no user has this email. */
export async function setPassword(
  db: Db,
  { email, password }: { email: string; password: string },
): Promise<boolean> {
  const { rows } = await sql`
    with changed as (
      update users set password = ${password} where lower(email) = lower(${email}) returning id
    ), ended as (
      update sessions set ended_at = now(), end_reason = 'new password'
      from changed where sessions.user_id = changed.id and ended_at is null
    ), disconnected as (
      update agent_grants set revoked_at = now(), revoke_reason = 'new password'
      from changed where agent_grants.user_id = changed.id and revoked_at is null
    )
    select id from changed`.execute(db)
  return rows.length > 0
}
