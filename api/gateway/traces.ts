import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestPlace, type SpanPlace } from '../../runtime/tracing/places.ts'
import { noTracing } from '../../runtime/tracing/tracing.ts'
import type { ApiContext } from '../context.ts'
import type { Server } from './typed-server.ts'

/** Probes, and the farm's own bytes, which nodes trace themselves. */
const untraced = /^[/](healthz|readyz|objects[/].*)$/

/** W3C Trace Context, level 1: a caller's own trace. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/**
 * Traces each request by a span named after its route. A request that made a job or a bulk begins
 * that one's trace; any other has a trace of its own. A caller's trace becomes a link only: as the
 * parent it would let a customer write into others' traces and decide which are kept.
 */
export function traceRequests(server: Server, { tracing }: Pick<ApiContext, 'tracing'>): void {
  server.decorateRequest('made', undefined)
  if (tracing === noTracing) return
  const begun = new WeakMap<FastifyRequest, SpanPlace>()

  server.addHook('onRequest', async (request) => {
    if (untraced.test(request.routeOptions.url ?? '')) return
    const place = { traceId: randomHex(16), spanId: randomHex(8) }
    begun.set(request, place)
    request.log = request.log.child({ trace_id: place.traceId, span_id: place.spanId })
  })

  server.addHook('onResponse', async (request, reply) => {
    const own = begun.get(request)
    if (own === undefined) return
    const { made } = request
    const place = made === undefined ? own : requestPlace(made.id)
    const { statusCode } = reply
    const end = Date.now()
    tracing.record({
      ...spanOf(request, reply),
      place,
      links: linksOf(request),
      start: end - reply.elapsedTime,
      end,
      failure: statusCode >= 500 ? String(statusCode) : undefined,
    })
  })
}

function spanOf({ method, routeOptions, account, made }: FastifyRequest, reply: FastifyReply) {
  const { url: route } = routeOptions
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': reply.statusCode,
    'farm.account.id': account?.accountId,
    ...(made && { [`farm.${made.kind}.id`]: made.id }),
  }
  return { name: route ? `${method} ${route}` : method, kind: 'server' as const, attributes }
}

function linksOf({ headers }: FastifyRequest): Omit<SpanPlace, 'parentId'>[] {
  const [, traceId, spanId] = traceparent.exec(String(headers.traceparent)) ?? []
  return traceId && spanId ? [{ traceId, spanId }] : []
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
