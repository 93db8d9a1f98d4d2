import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { profiles } from '../../agent/profiles.ts'
import type { Connection, Profile } from '../../agent/tool.ts'
import { createFarmClient } from '../../client/farm-client.ts'
import type { GatewayContext } from '../context.ts'
import type { Caller } from '../gateway/caller.ts'
import { readJson } from '../gateway/json-text.ts'
import type { Server } from '../gateway/typed-server.ts'
import { agentScope } from '../oauth/settings.ts'
import { refuseStrangePages } from './allowed-origins.ts'
import { innerFetch, innerUrl } from './inner-fetch.ts'

const defaultProfile: Profile = 'creator'

const Query = Type.Object({ profile: Type.Optional(Type.Enum([...profiles])) })

/**
 * /mcp: the tools of `agent/` for hosts that speak MCP (2026-07-28 and 2025 revisions). Stateless: any
 * replica answers any request, and a restart loses nothing. `?profile=` chooses among the tools that a
 * key may use; its scopes decide what they may do.
 */
export function agentRoute(server: Server, context: GatewayContext): void {
  const { publicUrl, mcpUrl, mcpOrigins, log } = context
  let handler: Promise<McpHttpHandler> | undefined
  const allowed = { urls: [publicUrl, mcpUrl], origins: mcpOrigins }
  const { pathname } = new URL(mcpUrl)
  const schema = { hide: true, querystring: Query }
  const resource = `${publicUrl}/.well-known/oauth-protected-resource${pathname}`
  const config = {
    credentials: ['key', 'agent'],
    scope: 'render',
    challenge: `Bearer resource_metadata="${resource}", scope="${agentScope}"`,
  } as const

  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: pathname,
    schema,
    config: { ...config, body: Type.Unknown() },
    onRequest: async ({ headers }) => refuseStrangePages(headers, allowed),
    handler: async (request, reply) => await answer(request, reply),
  })

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    handler ??= createHandler(server, (err) => log.warn({ err }, 'an agent was not served'))
    const { method, body, account, query } = request
    const { profile = defaultProfile } = query as { profile?: Profile }
    const parsedBody = method === 'POST' ? readJson(body) : undefined
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const asked = new Request(new URL(pathname, mcpUrl), {
      method,
      headers: new Headers(headersOf(request)),
      signal: gone.signal,
      ...(method === 'POST' && { body: JSON.stringify(parsedBody) }),
    })
    const authInfo = { token: '', clientId: '', scopes: [], extra: { caller: account, profile } }
    return reply.send(await (await handler).fetch(asked, { parsedBody, authInfo }))
  }
}

/** Loads the SDK at the first call: a farm for one film must not pay for it. */
async function createHandler(
  server: Server,
  onerror: (error: Error) => void,
): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createAgentServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../../agent/server.ts'),
  ])
  return createMcpHandler(
    ({ authInfo }) => {
      const { caller, profile } = (authInfo?.extra ?? {}) as { caller: Caller; profile: Profile }
      const farm = createFarmClient({
        ...{ url: innerUrl, apiKey: null, retries: 0, timeoutMs: 60_000 },
        fetch: innerFetch(server, caller),
      })
      return createAgentServer({ farm, connection: connectionOf(caller, profile) })
    },
    { onerror },
  )
}

/** The consent of a connected agent decides; for a key, what was asked for. */
function connectionOf({ credential, limits }: Caller, asked: Profile): Connection {
  if (credential.kind !== 'agent') {
    return { profile: asked, renderCap: null, bulkCap: limits.bulkItems }
  }
  const { profile, caps } = credential
  return { profile, renderCap: caps.renderCap, bulkCap: Math.min(caps.bulkCap, limits.bulkItems) }
}

function headersOf({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'content-length' ? [[name, value]] : [],
  )
}
