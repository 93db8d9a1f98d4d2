import { sha256Bytes } from '../../runtime/sha256.ts'
import { findAgentToken as findHolder } from '../../store/db/agents/find-agent-token.ts'
import type { Db } from '../../store/db/database.ts'
import type { AgentCredential, Caller } from '../gateway/caller.ts'
import { limitsOf } from '../gateway/plan.ts'
import { unsealUnder } from './token-seal.ts'

/** Shape of the tokens that the authorization server issues. */
const shape = /^[\w-]{43}$/

export type AgentCaller = Caller & { readonly credential: AgentCredential }

/**
 * Turns an access token into the agent that it stands for, for the hosted endpoint alone: no route
 * of the API takes it. Undefined: unknown, expired, of a grant that has ended, of a suspended
 * account, or for another resource. It is looked up at each call, so that a disconnected agent is
 * refused at once.
 */
export async function findAgentToken(
  { db, mcpUrl }: { readonly db: Db; readonly mcpUrl: string },
  token: string,
): Promise<AgentCaller | undefined> {
  if (!shape.test(token)) return undefined
  const found = await findHolder(db, sha256Bytes(token))
  if (found === undefined || found.isSuspended) return undefined
  const { aud: audience } = JSON.parse(unsealUnder(token, found.payload)) as { aud?: unknown }
  if (audience !== mcpUrl) return undefined
  const { accountId, plan, grantId, userId, profile, renderCap, totalCap, bulkCap } = found
  const caps = { renderCap, totalCap, bulkCap }
  const spent = found.creditsSpent
  const credential: AgentCredential = { kind: 'agent', grantId, userId, profile, caps, spent }
  return { accountId, plan, limits: limitsOf(plan), credential }
}
