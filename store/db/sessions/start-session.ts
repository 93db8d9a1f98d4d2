import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Lifetime of a sign-in, however often it is refreshed. */
export const sessionDays = 30

/**
 * Creates a session with its first refresh token (its sha256), and removes the user's expired ones.
 */
export async function startSession(
  db: Db,
  {
    userId,
    accountId,
    token,
    userAgent = '',
  }: { userId: string; accountId: string; token: Buffer; userAgent?: string },
): Promise<{ readonly id: string }> {
  const { rows } = await sql<{ id: string }>`
    with old as (
      delete from sessions where user_id = ${userId} and expires_at < now()
    ), session as (
      insert into sessions (account_id, user_id, user_agent, expires_at)
      values (${accountId}, ${userId}, ${userAgent}, now() + make_interval(days => ${sessionDays}))
      returning id, account_id
    ), first as (
      insert into refresh_tokens (sha256, account_id, session_id)
      select ${token}, account_id, id from session
    )
    select id from session`.execute(db)
  const [session] = rows
  if (!session) throw new Error('A session that was inserted must be answered')
  return session
}
