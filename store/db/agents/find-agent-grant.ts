import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type LiveGrant = {
  readonly id: string
  readonly userId: string
  readonly clientId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Finds a grant that has neither ended nor expired. */
export async function findAgentGrant(db: Db, id: string): Promise<LiveGrant | undefined> {
  const { rows } = await sql<LiveGrant>`
    select id, user_id as "userId", client_id as "clientId", created_at as "createdAt",
      expires_at as "expiresAt"
    from agent_grants
    where id = ${id} and revoked_at is null and expires_at > now()`.execute(db)
  return rows[0]
}
