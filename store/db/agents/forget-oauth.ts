import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { forgetOAuthClients } from './register-oauth-client.ts'

/** Days for which an ended grant is kept, so that its owner can see that it ended and why. */
const endedGrantDays = 90

/**
 * Removes expired tokens, codes of ended grants, grants that ended long ago, and clients that nobody
 * uses. Access and refresh tokens of ended grants stay for their time, so that their agents are told the reason.
 * @returns how many tokens or grants, `limit` at most of each
 */
export async function forgetOAuth(db: Db, { limit }: { limit: number }): Promise<number> {
  const tokens = await sql`
    delete from oauth_tokens where sha256 = any(array(
      select t.sha256 from oauth_tokens t left join agent_grants g on g.id = t.grant_id
      where t.expires_at < now() or (g.revoked_at is not null and t.kind not in ('access', 'refresh'))
      limit ${limit} for update of t skip locked
    ))`.execute(db)
  const grants = await sql`
    delete from agent_grants where id = any(array(
      select id from agent_grants
      where least(revoked_at, expires_at) < now() - make_interval(days => ${endedGrantDays})
      limit ${limit} for update skip locked
    ))`.execute(db)
  await forgetOAuthClients(db)
  return Math.max(Number(tokens.numAffectedRows), Number(grants.numAffectedRows))
}
