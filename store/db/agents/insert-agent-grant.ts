import { sql } from 'kysely'
import type { AgentCaps, AgentProfile } from '../../../core/accounts/agent-profiles.ts'
import { sha256Bytes } from '../../../runtime/sha256.ts'
import type { Db } from '../database.ts'

/** Time for a client to redeem the code; its refresh token then extends the grant. */
const redeemMinutes = 10

export type NewAgentGrant = AgentCaps & {
  readonly accountId: string
  readonly userId: string
  readonly clientId: string
  readonly clientName: string
  readonly redirectHost: string
  readonly profile: AgentProfile
}

/** Writes a user's consent, and that the client is in use. */
export async function insertAgentGrant(
  db: Db,
  grant: NewAgentGrant,
): Promise<{ readonly id: string }> {
  const { rows } = await sql<{ id: string }>`
    with used as (
      update oauth_clients set last_used_at = now() where id_sha256 = ${sha256Bytes(grant.clientId)}
    )
    insert into agent_grants (account_id, user_id, client_id, client_name, redirect_host, profile,
      render_cap, total_cap, bulk_cap, expires_at)
    values (${grant.accountId}, ${grant.userId}, ${grant.clientId}, ${grant.clientName},
      ${grant.redirectHost}, ${grant.profile}, ${grant.renderCap}, ${grant.totalCap},
      ${grant.bulkCap}, now() + make_interval(mins => ${redeemMinutes}))
    returning id`.execute(db)
  const [inserted] = rows
  if (!inserted) throw new Error('A grant that was inserted must be answered')
  return inserted
}
