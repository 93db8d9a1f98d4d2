import { Type } from 'typebox'
import type { QuestionSecrets } from '../../agent/questions.ts'
import type { Connection, Profile } from '../../agent/tool.ts'
import { agentProfiles } from '../../core/accounts/agent-profiles.ts'
import { type SealKeys, tagOf } from '../../runtime/seal.ts'
import type { GatewayContext } from '../context.ts'
import { type Caller, credentialIdOf } from '../gateway/caller.ts'
import type { Server } from '../gateway/typed-server.ts'
import { innerFetch, innerUrl } from './inner-fetch.ts'
import { mcpRoute, type ServerFactory } from './mcp-route.ts'

const defaultProfile: Profile = 'creator'

const Query = Type.Object({ profile: Type.Optional(Type.Enum([...agentProfiles])) })

/**
 * /mcp: the tools of `agent/` for hosts that speak MCP (2026-07-28 and 2025 revisions). Stateless: any
 * replica answers any request, and a restart loses nothing. `?profile=` chooses among the tools that a
 * key may use; its scopes decide what they may do.
 */
export function agentRoute(server: Server, context: GatewayContext): void {
  const loadFactory = async () => await loadTools(server, context)
  for (const pathname of pathsOf(context)) {
    mcpRoute(server, context, { pathname, querystring: Query, loadFactory })
  }
}

/** A proxy may remove the path of the public address, as it does for every other route. */
function pathsOf({ mcpUrl, publicUrl }: GatewayContext): ReadonlySet<string> {
  const { pathname } = new URL(mcpUrl)
  const below = mcpUrl.startsWith(`${publicUrl}/`) ? mcpUrl.slice(publicUrl.length) : pathname
  return new Set([pathname, below])
}

async function loadTools(server: Server, { sealKeys }: GatewayContext): Promise<ServerFactory> {
  const [{ createAgentServer }, { refusalOfRequest }, { createFarmClient }] = await Promise.all([
    import('../../agent/server.ts'),
    import('../../agent/refuse-request.ts'),
    import('../../client/farm-client.ts'),
  ])
  const questionSecrets = secretsOf(sealKeys)
  const make: ServerFactory['make'] = ({ call, query, ended }) => {
    const farm = createFarmClient({
      ...{ url: innerUrl, apiKey: null, retries: 0, timeoutMs: 60_000 },
      fetch: innerFetch(server, call),
    })
    const { caller } = call
    const reconnect = caller.credential.kind === 'key' && { reconnect: anotherKey }
    const owner = `${caller.accountId} ${credentialIdOf(caller.credential)}`
    const connection = connectionOf(caller, query)
    return createAgentServer({ farm, connection, ended, questionSecrets, owner, ...reconnect })
  }
  return {
    make,
    refusalOf: (message, { call, query }) =>
      refusalOfRequest(message, connectionOf(call.caller, query).profile),
  }
}

const anotherKey = 'Its API key is not accepted any more: ask the person for another one.'

/** Questions that were signed by an older key, which a rotation keeps, are still answered. */
function secretsOf(keys: SealKeys): QuestionSecrets {
  const secretOf = (key: SealKeys[number]) => tagOf([key], 'questions of agents')
  const [newest, ...older] = keys
  if (newest === undefined) throw new Error('There must be a key to sign questions with. Got none')
  return [secretOf(newest), ...older.map(secretOf)]
}

/** The consent of a connected agent decides; for a key, what was asked for. */
function connectionOf({ credential, limits }: Caller, query: unknown): Connection {
  if (credential.kind !== 'agent') {
    const { profile = defaultProfile } = query as { profile?: Profile }
    return { profile, renderCap: null, total: null, bulkCap: limits.bulkItems }
  }
  const { profile, caps, spent } = credential
  const { renderCap, totalCap: cap } = caps
  const total = cap === null ? null : { cap, left: Math.max(0, cap - spent) }
  return { profile, renderCap, total, bulkCap: Math.min(caps.bulkCap, limits.bulkItems) }
}
