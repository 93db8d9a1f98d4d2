import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAborted, onEnded } from './ended.ts'
import { withoutQuery } from './path.ts'
import { addressOf } from './remote-address.ts'
import type { Server } from './typed-server.ts'

/** Requests that machines make every few seconds. */
const probes = /^[/](healthz|readyz)$/
const keyShape = /^svc_[0-9a-fA-F]{64}$/
/**
 * Length of a key's visible prefix, as the list of keys shows it
 * (store/db/accounts/create-key.ts).
 */
const keyPrefixLength = 12
const maxPathLength = 200
const segments = /[^/;=]+/g
const minTokenLength = 32

/**
 * Logs one line for each request, also where its caller hung up. It never holds a query (signatures
 * are in it), a body, a header's value or a whole key. It holds a path only where it matches no
 * route, and then without what may be a credential. The line of an agent's request names its tool,
 * and stands for the calls of routes that answer it.
 */
export function logAccess(server: Server): void {
  const sentBefore = new WeakMap<FastifyRequest, number>()
  server.addHook('onRequest', async (request) => {
    sentBefore.set(request, request.socket.bytesWritten ?? 0)
  })
  onEnded(server, (request, reply) => {
    if (request.innerOf) return
    const line = { ...lineOf(request, reply), bytes: bytesOf(request, reply) }
    const level = probes.test(request.routeOptions.url ?? '') ? 'debug' : 'info'
    request.log[level](line, 'request')
  })

  /** Bytes sent, including headers. A connection serves one request after the other. */
  function bytesOf(request: FastifyRequest, reply: FastifyReply): number {
    const { bytesWritten } = request.socket
    if (bytesWritten === undefined) return Number(reply.getHeader('content-length') ?? 0)
    return bytesWritten - (sentBefore.get(request) ?? 0)
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply) {
  const { method, routeOptions, account, operator, agentCall, url } = request
  const made = request.made ?? agentCall?.made
  const route = routeOptions.url
  return {
    method,
    ...(route === undefined
      ? { path: hidden(withoutQuery(url)).slice(0, maxPathLength) }
      : { route }),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    remote: addressOf(request),
    ...(account && { account: account.accountId }),
    ...(account?.credential.kind === 'session' && { user: account.credential.userId }),
    ...(account?.credential.kind === 'agent' && { agent: account.credential.grantId }),
    ...(operator && { operator: operator.operatorId }),
    ...keyOf(request),
    ...(agentCall?.tool !== undefined && { tool: agentCall.tool }),
    ...(made && { [made.kind]: made.id }),
    ...(isAborted(reply) && { aborted: true }),
  }
}

/** Hides the segments of a path that are long enough for a credential, or hold the mark of a key. */
function hidden(path: string): string {
  return path.replace(segments, (segment) => {
    const length = segment.replace(/[^\w.-]/g, '').length
    return length >= minTokenLength || segment.includes('svc_') ? '…' : segment
  })
}

/**
 * Returns the beginning of a key, even of a refused one: it tells keys apart and grants nothing.
 */
function keyOf({ headers }: FastifyRequest): { key?: string } {
  const key = headers['x-api-key']
  if (typeof key !== 'string' || !keyShape.test(key)) return {}
  return { key: key.slice(0, keyPrefixLength) }
}
