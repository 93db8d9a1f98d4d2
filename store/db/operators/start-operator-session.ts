import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Lifetime of an operator's sign-in, however often it is refreshed. */
export const operatorSessionHours = 24

/**
 * Creates a session of an operator with its first refresh token (its sha256), and removes the operator's
 * expired ones.
 */
export async function startOperatorSession(
  db: Db,
  { operatorId, token, userAgent }: { operatorId: string; token: Buffer; userAgent: string },
): Promise<{ readonly id: string }> {
  const { rows } = await sql<{ id: string }>`
    with old as (
      delete from operator_sessions where operator_id = ${operatorId} and expires_at < now()
    ), session as (
      insert into operator_sessions (operator_id, user_agent, expires_at)
      values (${operatorId}, ${userAgent}, now() + make_interval(hours => ${operatorSessionHours}))
      returning id
    ), first as (
      insert into operator_refresh_tokens (sha256, session_id) select ${token}, id from session
    )
    select id from session`.execute(db)
  const [session] = rows
  if (!session) throw new Error('A session that was inserted must be answered')
  return session
}
