import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type SessionHolder = {
  readonly userId: string
  readonly accountId: string
  readonly plan: string
  readonly isSuspended: boolean
  readonly isClosed: boolean
}

/** Finds the user of a session; undefined when it is over. */
export async function findSession(db: Db, sessionId: string): Promise<SessionHolder | undefined> {
  const { rows } = await sql<SessionHolder>`
    select s.user_id as "userId", s.account_id as "accountId", a.plan,
      a.suspended_at is not null as "isSuspended", a.closed_at is not null as "isClosed"
    from sessions s join accounts a on a.id = s.account_id
    where s.id = ${sessionId} and s.ended_at is null and s.expires_at > now()`.execute(db)
  return rows[0]
}
