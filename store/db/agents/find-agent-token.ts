import { sql } from 'kysely'
import type { AgentCaps, AgentProfile } from '../../../core/accounts/agent-profiles.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

export type AgentTokenHolder = AgentCaps & {
  readonly grantId: string
  readonly accountId: string
  readonly userId: string
  readonly plan: string
  readonly isSuspended: boolean
  readonly profile: AgentProfile
  readonly creditsSpent: number
  /** Sealed under the token. */
  readonly payload: string
}

/**
 * Finds the grant of an access token (its sha256); undefined when the token is unknown or expired,
 * or its grant has ended. Every call asks, so that a disconnected agent stops at once. The grant's
 * last use is written once a minute.
 */
export async function findAgentToken(
  db: Db,
  sha256: Buffer,
): Promise<AgentTokenHolder | undefined> {
  const { rows } = await sql<AgentTokenHolder>`
    ${prepared('find-agent-token')} with held as (
      select t.payload, g.*, a.plan, a.suspended_at is not null as is_suspended
      from oauth_tokens t join agent_grants g on g.id = t.grant_id
        join accounts a on a.id = g.account_id
      where t.sha256 = ${sha256} and t.kind = 'access' and t.expires_at > now()
        and g.revoked_at is null
    ), used as (
      update agent_grants g set last_used_at = now() from held
      where g.id = held.id and coalesce(held.last_used_at < now() - interval '1 minute', true)
    )
    select id as "grantId", account_id as "accountId", user_id as "userId", plan,
      is_suspended as "isSuspended", profile, render_cap as "renderCap", total_cap as "totalCap",
      bulk_cap as "bulkCap", credits_spent as "creditsSpent", payload
    from held`.execute(db)
  return rows[0]
}
