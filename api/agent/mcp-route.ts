import type {
  Server as BareMcpServer,
  JSONRPCErrorResponse,
  McpHttpHandler,
  McpRequestContext,
  McpServer,
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { isRecord } from '../../core/project/check.ts'
import type { GatewayContext } from '../context.ts'
import { agentCall } from '../gateway/agent-calls.ts'
import type { AgentCall } from '../gateway/caller.ts'
import { readJson } from '../gateway/json-text.ts'
import { problemOf } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { resourceDocumentOf } from '../oauth/metadata.route.ts'
import { agentScope } from '../oauth/settings.ts'
import { refuseStrangePages } from './allowed-origins.ts'
import { refuseUnknownQuery } from './refuse-query.ts'
import { parseErrorCode, rpcErrorOf, showAsRpc } from './rpc-error.ts'

/** Most tools of a batch that the log names. */
const mostNames = 10

export type ServerFactory = {
  /** Makes the MCP server that answers one request. */
  readonly make: (asker: Asker) => McpServer | BareMcpServer
  /** Returns the error for a message that no server needs to see. */
  readonly refusalOf?: (message: unknown, asker: Asker) => JSONRPCErrorResponse | undefined
}

export type Asker = {
  readonly call: AgentCall
  readonly query: unknown
  /** Aborts when the connection or the key of the caller ends; its reason says how. */
  readonly ended: AbortSignal
}

type McpRoute = {
  readonly pathname: string
  readonly querystring: TObject
  /** Called at the first request: a farm for one film must not pay for the SDK. */
  readonly loadFactory: () => Promise<ServerFactory>
}

/**
 * Serves MCP at a path: refuses strange pages, asks for a key or an agent's token, and hands the
 * request to a server that lives for it alone.
 */
export function mcpRoute(
  server: Server,
  { publicUrl, mcpUrl, mcpOrigins, log, credentialEnds }: GatewayContext,
  { pathname, querystring, loadFactory }: McpRoute,
): void {
  let handler: Promise<McpHttpHandler['fetch']> | undefined
  const allowed = { urls: [publicUrl, mcpUrl], origins: mcpOrigins }
  const resource = resourceDocumentOf({ publicUrl, mcpUrl })
  const config = {
    credentials: ['key', 'agent'],
    scope: 'render',
    challenge: `Bearer resource_metadata="${resource}", scope="${agentScope}"`,
    precheck: ({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>) => {
      refuseStrangePages(headers, allowed)
      refuseUnknownQuery(query, Object.keys(querystring.properties))
    },
  } as const

  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: pathname,
    schema: { hide: true, querystring },
    // The SDK knows no HEAD.
    exposeHeadRoute: false,
    config: { ...config, body: Type.Unknown() },
    onSend: showAsRpc,
    handler: async (request, reply) => await answer(request, reply),
  })

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    handler ??= createHandler(loadFactory, (err) => log.warn({ err }, 'an agent was not served'))
    const { method, account, query } = request
    const { parsedBody, fault } = readMessage(request)
    if (fault) return reply.code(400).send(rpcErrorOf(problemOf(fault), parseErrorCode))
    if (Array.isArray(parsedBody)) {
      const { refusalOfBatch } = await import('../../agent/batches.ts')
      const refusal = refusalOfBatch(parsedBody, versionOf(request))
      if (refusal) return reply.code(400).send(refusal)
      // The request itself has paid for the first message.
      for (let i = 1; i < parsedBody.length; i += 1) await server.limitRate(request, reply)
    }
    const gone = new AbortController()
    const { signal: ended, release } = credentialEnds.watch(account.credential)
    reply.raw.once('close', () => {
      release()
      gone.abort()
    })
    // Without the body, which the SDK gets parsed.
    const asked = new Request(new URL(pathname, mcpUrl), {
      method,
      headers: new Headers(headersOf(request)),
      signal: gone.signal,
    })
    const call = agentCall({ account, id: request.id, tool: toolOf(parsedBody) })
    request.agentCall = call
    const asker: Asker = { call, query, ended }
    const authInfo = { token: '', clientId: '', scopes: [], extra: { asker } }
    return reply.send(await (await handler)(asked, { parsedBody, authInfo }))
  }
}

/** Reads the message of a request. `fault`: its body is no JSON. */
function readMessage({ method, body }: Pick<FastifyRequest, 'method' | 'body'>): {
  readonly parsedBody?: unknown
  readonly fault?: FarmError
} {
  if (method !== 'POST') return {}
  try {
    return { parsedBody: readJson(body) }
  } catch (error) {
    if (!(error instanceof FarmError)) throw error
    return { fault: error }
  }
}

async function createHandler(
  loadFactory: () => Promise<ServerFactory>,
  onerror: (error: Error) => void,
): Promise<McpHttpHandler['fetch']> {
  const [sdk, tasks, { refusalOfEach }, { answerWithNextStep }, { make, refusalOf }] =
    await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../../agent/tasks/refuse-listening.ts'),
      import('../../agent/batches.ts'),
      import('../../agent/protocol-errors.ts'),
      loadFactory(),
    ])
  const factory = ({ authInfo }: McpRequestContext) => {
    return make(askerOf(authInfo))
  }
  const handler = sdk.createMcpHandler(factory, { onerror })
  return async (asked, options) => {
    const { parsedBody: message, authInfo } = { ...options }
    const unheard = refusalOfEach(message, (each) => refusalOf?.(each, askerOf(authInfo)))
    if (unheard) return Response.json(unheard)
    const refusal = refusalOfEach(message, tasks.refusalOfListening)
    return await answerWithNextStep(
      refusal ? Response.json(refusal, { status: 400 }) : await handler.fetch(asked, options),
    )
  }
}

function askerOf(authInfo: McpRequestContext['authInfo']): Asker {
  const { asker } = (authInfo?.extra ?? {}) as { readonly asker: Asker }
  return asker
}

/** The revision of MCP that a host names. */
function versionOf({ headers }: FastifyRequest): string | undefined {
  return [headers['mcp-protocol-version']].flat()[0]
}

/** Names of the tools that a message calls, if they could be: a stranger's text is not logged. */
function toolOf(message: unknown): string | undefined {
  if (Array.isArray(message)) {
    const names = new Set(message.flatMap((each) => toolOf(each) ?? []))
    return names.size > 0 ? [...names].slice(0, mostNames).join(' ') : undefined
  }
  if (!isRecord(message) || message.method !== 'tools/call' || !isRecord(message.params)) return
  const { name } = message.params
  return typeof name === 'string' && /^[a-z_]{1,40}$/.test(name) ? name : undefined
}

function headersOf({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'content-length' ? [[name, value]] : [],
  )
}
