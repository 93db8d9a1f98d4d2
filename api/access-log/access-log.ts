import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessRecord } from '../../store/db/access/insert-access.ts'
import type { GatewayContext } from '../context.ts'
import { isAborted, onEnded } from '../gateway/ended.ts'
import { withoutQuery } from '../gateway/path.ts'
import { addressOf, readAddress } from '../gateway/remote-address.ts'
import type { Server } from '../gateway/typed-server.ts'

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
/** Ids that stand in addresses: of jobs, nodes and accounts, and public ones. */
const idShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2,3}_[0-9A-Za-z]{20})$/i
const parameters = /:(\w+)/g
/** Parameters that open something by themselves. */
const secretParameters: readonly string[] = ['grant', 'uid']
const toolShape = /^[\w.-]{1,64}$/

/**
 * Logs one line for each request, also where its caller hung up, and records it for operators
 * (access-records.ts). Neither ever holds a query (signatures are in it), a body, a header's value or a
 * whole key. The line holds a path only where it matches no route, and then without what may be a
 * credential; the record has the ids in a route's path as well. The line of an agent's request names its
 * tool, and stands for the calls of routes that answer it.
 */
export function logAccess(
  server: Server,
  {
    hasAccessLog,
    accessRecords,
  }: Pick<GatewayContext, 'accessRecords'> & { readonly hasAccessLog: boolean },
): void {
  if (!hasAccessLog && !accessRecords) return
  const sentBefore = new WeakMap<FastifyRequest, number>()
  server.addHook('onRequest', async (request) => {
    sentBefore.set(request, request.socket.bytesWritten ?? 0)
  })
  onEnded(server, (request, reply) => {
    if (request.innerOf) return
    const isProbe = probes.test(request.routeOptions.url ?? '')
    const line = { ...lineOf(request, reply), bytes: bytesOf(request, reply) }
    if (hasAccessLog) request.log[isProbe ? 'debug' : 'info'](line, 'request')
    if (!isProbe) accessRecords?.add(recordOf(request, line))
  })

  /** Bytes sent, including headers. A connection serves one request after the other. */
  function bytesOf(request: FastifyRequest, reply: FastifyReply): number {
    const { bytesWritten } = request.socket
    if (bytesWritten === undefined) return Number(reply.getHeader('content-length') ?? 0)
    return bytesWritten - (sentBefore.get(request) ?? 0)
  }
}

type Line = {
  readonly method: string
  readonly route?: string
  readonly path?: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly remote: string
  readonly account?: string
  readonly user?: string
  readonly agent?: string
  readonly operator?: string
  readonly key?: string
  readonly tool?: string
  readonly job?: string
  readonly bulk?: string
  readonly aborted?: boolean
}

function lineOf(request: FastifyRequest, reply: FastifyReply): Omit<Line, 'bytes'> {
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

/** Records a request of which nothing is known but where it came from. */
export function brokenRecord({
  requestId,
  status,
  remote,
}: {
  readonly requestId: string
  readonly status: number
  readonly remote: string | undefined
}): AccessRecord {
  return {
    ...{ at: new Date().toISOString(), requestId, method: '?', path: '?', status, ms: 0, bytes: 0 },
    remote: plainAddress(remote),
    ...{ account: null, key: null, userId: null, agentId: null, operatorId: null },
    ...{ tool: null, made: null, aborted: false },
  }
}

/** Records a request whose address no route can have: nothing but the address was read of it. */
export function badAddressRecord(request: FastifyRequest): AccessRecord {
  const remote = addressOf(request)
  return {
    ...brokenRecord({ requestId: request.id, status: 400, remote }),
    method: request.method,
    path: hidden(withoutQuery(request.raw.url ?? '')).slice(0, maxPathLength),
    key: keyOf(request).key ?? null,
  }
}

/** Returns an address as all records have it: IPv4 without `::ffff:`. Null: unknown. */
function plainAddress(remote: string | undefined): string | null {
  const address = readAddress(remote)
  return address === undefined ? null : withoutZone(address)
}

function recordOf(request: FastifyRequest, line: Line): AccessRecord {
  const { method, status, ms, bytes, tool } = line
  return {
    ...{ at: new Date().toISOString(), requestId: request.id, method, status, ms, bytes },
    path: line.route === undefined ? (line.path ?? '') : withIds(line.route, request.params),
    remote: line.remote === 'unknown' ? null : withoutZone(line.remote),
    ...{ account: line.account ?? null, key: line.key ?? null, userId: line.user ?? null },
    ...{ agentId: line.agent ?? null, operatorId: line.operator ?? null },
    // An agent names its tool in its own words, which may not even be text for Postgres.
    tool: tool !== undefined && toolShape.test(tool) ? tool : null,
    ...{ made: line.job ?? line.bulk ?? null, aborted: line.aborted ?? false },
  }
}

/** Puts ids into a route's path. Other values may be secrets, so their names stay. */
function withIds(route: string, params: unknown): string {
  if (!route.includes(':')) return route
  const values: Readonly<Record<string, unknown>> = { ...(params as object) }
  return route.replace(parameters, (named, name: string) => {
    const value = values[name]
    if (secretParameters.includes(name) || typeof value !== 'string') return named
    return idShape.test(value) ? value : named
  })
}

/** Returns an IPv6 address without the name of a network card, which Postgres does not take. */
const withoutZone = (address: string) => address.replace(/%.*$/, '')

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
