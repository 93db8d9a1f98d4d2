import { type RawBuilder, sql } from 'kysely'
import type { AgentCaps, AgentProfile } from '../../../core/accounts/agent-profiles.ts'
import type { Db } from '../database.ts'

export type AgentGrantView = AgentCaps & {
  readonly id: string
  readonly clientId: string
  readonly clientName: string
  readonly redirectHost: string
  readonly email: string
  readonly profile: AgentProfile
  readonly creditsSpent: number
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date
}

const columns = sql`g.id, g.client_id as "clientId", g.client_name as "clientName",
  g.redirect_host as "redirectHost", u.email, g.profile, g.render_cap as "renderCap",
  g.total_cap as "totalCap", g.bulk_cap as "bulkCap", g.credits_spent as "creditsSpent",
  g.created_at as "createdAt", g.last_used_at as "lastUsedAt", g.expires_at as "expiresAt"`
const isLive = sql`g.revoked_at is null and g.expires_at > now()`

/** Lists the agents that are connected to an account, the newest first. */
export async function listAgentGrants(
  db: Db,
  accountId: string,
): Promise<readonly AgentGrantView[]> {
  const { rows } = await sql<AgentGrantView>`
    select ${columns} from agent_grants g join users u on u.id = g.user_id
    where g.account_id = ${accountId} and ${isLive}
    order by g.created_at desc, g.id`.execute(db)
  return rows
}

type GrantOfAccount = { readonly accountId: string; readonly grantId: string }

/** Changes caps and profile from the next call on. Undefined: no such agent is connected. */
export async function changeAgentGrant(
  db: Db,
  {
    profile,
    renderCap,
    totalCap,
    bulkCap,
    ...grant
  }: GrantOfAccount & Partial<AgentCaps> & { readonly profile?: AgentProfile | undefined },
): Promise<AgentGrantView | undefined> {
  return await change(
    db,
    grant,
    sql`profile = coalesce(${profile ?? null}, profile),
      render_cap = coalesce(${renderCap ?? null}::bigint, render_cap),
      bulk_cap = coalesce(${bulkCap ?? null}::integer, bulk_cap),
      total_cap = ${totalCap === undefined ? sql`total_cap` : sql`${totalCap}::bigint`}`,
  )
}

/** Disconnects an agent: its tokens are refused from now on. Undefined: it is not connected. */
export async function disconnectAgent(
  db: Db,
  { reason, ...grant }: GrantOfAccount & { readonly reason: string },
): Promise<AgentGrantView | undefined> {
  return await change(db, grant, sql`revoked_at = now(), revoke_reason = ${reason}`)
}

async function change(
  db: Db,
  { accountId, grantId }: GrantOfAccount,
  set: RawBuilder<unknown>,
): Promise<AgentGrantView | undefined> {
  const { rows } = await sql<AgentGrantView>`
    with g as (
      update agent_grants g set ${set}
      where g.id = ${grantId} and g.account_id = ${accountId} and ${isLive}
      returning *
    )
    select ${columns} from g join users u on u.id = g.user_id`.execute(db)
  return rows[0]
}
