import { sql } from 'kysely'
import type { UserView } from '../accounts/list-users.ts'
import type { Db } from '../database.ts'

export type SignedInUser = UserView & {
  /** Open sessions. */
  readonly sessions: number
  /** Agents that are connected. */
  readonly agents: number
  /** Last sign-in or refresh; null: none. */
  readonly lastUsedAt: Date | null
}

/** Lists an account's users, the oldest (its owner) first, with their open sessions and agents. */
export async function listUsersWithSessions(
  db: Db,
  accountId: string,
): Promise<readonly SignedInUser[]> {
  const { rows } = await sql<SignedInUser>`
    select u.id, u.email, u.first_name as "firstName", u.last_name as "lastName",
      u.email_verified as "emailVerified", u.created_at as "createdAt", s.sessions,
      s.last_used_at as "lastUsedAt",
      (select count(*) from agent_grants g
        where g.user_id = u.id and g.revoked_at is null and g.expires_at > now()) as agents
    from users u left join lateral (
      select count(*) filter (where ended_at is null and expires_at > now()) as sessions,
        max(last_used_at) as last_used_at
      from sessions where user_id = u.id
    ) s on true
    where u.account_id = ${accountId} order by u.created_at, u.id`.execute(db)
  return rows
}
