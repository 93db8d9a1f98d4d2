import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** State of a token that is refused: why its grant ended (null: it goes on), and what else ended. */
export type EndedToken = {
  readonly kind: 'access' | 'refresh'
  readonly reason: string | null
  readonly isExpired: boolean
  readonly isSuspended: boolean
}

/** Finds an access or refresh token by its sha256, whatever has ended it; undefined: unknown. */
export async function findEndedToken(db: Db, sha256: Buffer): Promise<EndedToken | undefined> {
  const { rows } = await sql<EndedToken>`
    select t.kind, case when g.revoked_at is not null then g.revoke_reason end as reason,
      t.expires_at <= now() as "isExpired", a.suspended_at is not null as "isSuspended"
    from oauth_tokens t join agent_grants g on g.id = t.grant_id
      join accounts a on a.id = g.account_id
    where t.sha256 = ${sha256} and t.kind in ('access', 'refresh')`.execute(db)
  return rows[0]
}
