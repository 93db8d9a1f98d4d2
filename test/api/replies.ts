import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from '../../api/gateway/path.ts'
import type { Server } from '../../api/gateway/typed-server.ts'

/**
 * Checks every reply of a server against the OpenAPI document that it publishes: status, media
 * type, declared headers and body. A test that provokes another reply fails: `inject` rejects, and
 * `expectNone` throws for a reply that went through a socket.
 */
export async function judgeReplies(
  make: () => Promise<Server>,
): Promise<{ readonly server: Server; expectNone(): void }> {
  const faults = new Map<IncomingMessage, string>()
  // The hook must precede the routes, and the tested server has no place for it.
  const onMade = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onSend', async (request, reply, payload) => {
      const isOperators = request.routeOptions.url?.startsWith('/api/operator') === true
      const document = isOperators ? fastify.operatorSwagger : fastify.swagger
      const judge = judges.get(document) ?? validatorBy(document?.() ?? {})
      judges.set(document, judge)
      const fault = judge(request, reply, payload)
      if (fault) faults.set(request.raw, `${request.method} ${request.url} ${fault}`)
      return payload
    })
  }
  const judges = new Map<unknown, ReturnType<typeof validatorBy>>()
  subscribe('fastify.initialization', onMade)
  const making = make()
  unsubscribe('fastify.initialization', onMade)
  const server = await making
  const inject = server.inject.bind(server) as (options: object | string) => Promise<Injected>
  const validated = async (options: object | string) => {
    const reply = await inject(options)
    const fault = faults.get(reply.raw.req)
    if (fault === undefined) return reply
    faults.delete(reply.raw.req)
    throw new Error(fault)
  }
  server.inject = validated as unknown as typeof server.inject
  return {
    server,
    expectNone() {
      if (faults.size > 0) throw new Error([...faults.values()].join('\n'))
    },
  }
}

type Injected = { readonly raw: { readonly req: IncomingMessage } }

type Media = { readonly schema: object }
type Response = {
  readonly content?: Readonly<Record<string, Media>>
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: { readonly type?: string } }>
  >
}
type Document = {
  readonly paths?: Readonly<
    Record<string, Record<string, { responses: Record<string, Response> } | undefined> | undefined>
  >
}

/** Returns a sentence about the fault of a reply, or undefined. */
function validatorBy(openApi: object) {
  const { paths = {} } = openApi as Document
  const ajv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: false })
  addFormats.default(ajv)
  ajv.addSchema(openApi, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const problem = {
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }

  return (request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined => {
    const { url, schema, method } = request.routeOptions
    const isHidden = schema !== undefined && 'hide' in schema && schema.hide === true
    if (isHidden || request.method === 'OPTIONS' || url?.startsWith('/docs')) return undefined
    if (url === undefined && isPage(reply)) return undefined
    const status = String(reply.statusCode)
    const template = url?.replace(/:(\w+)/g, '{$1}')
    // OpenAPI: a literal path takes precedence over one with a parameter.
    const asked = pathOf(request.url)
    const isPath = !/\/\/|\/$/.test(asked)
    const path = asked in paths ? asked : isPath ? template : undefined
    const verb = String(method).toLowerCase().replace('head', 'get')
    const none = { 404: problem, 405: problem, 429: problem }
    const responses = (path === undefined ? none : paths[path]?.[verb]?.responses) ?? none
    const declared = (responses as Record<string, Response> | undefined)?.[status]
    const wide = (responses as Record<string, Response> | undefined)?.[`${status[0]}XX`]
    const response = declared ?? wide
    if (!response) return `has no answer ${status} in the document: ${show(payload)}`
    const headers = request.innerOf ? withoutRate(response) : response.headers
    return headersFault(headers, reply) ?? bodyFault(response, reply, payload)
  }

  function headersFault(
    headers: Response['headers'] = {},
    reply: FastifyReply,
  ): string | undefined {
    for (const [name, { required, schema }] of Object.entries(headers)) {
      const value = reply.getHeader(name)
      if (value === undefined && required) return `must have the header ${name}`
      if (value === undefined) continue
      const read = schema.type === 'integer' ? Number(value) : value
      const fault = schemaFault(schema, read)
      if (fault) return `has a wrong header ${name} (${value}): ${fault}`
    }
    return undefined
  }

  function bodyFault({ content }: Response, reply: FastifyReply, payload: unknown) {
    const type = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? ''
    if (content === undefined) {
      return payload == null || payload === '' ? undefined : `must have no body: ${show(payload)}`
    }
    const media = content[type]
    if (!media) return `must be ${Object.keys(content).join(' or ')}. Got ${type || 'no type'}`
    const isZipped = reply.getHeader('content-encoding') === 'gzip'
    const plain = isZipped ? gunzipSync(payload as Buffer) : payload
    const body: unknown = type.endsWith('json') ? JSON.parse(String(plain)) : plain
    const fault = schemaFault(media.schema, body)
    return fault && `has a body outside its schema: ${fault}: ${show(payload)}`
  }

  function schemaFault(schema: object, value: unknown): string | undefined {
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
}

/** Pages and files of the dashboard are at addresses without a route, and no part of the interface. */
function isPage(reply: FastifyReply): boolean {
  const type = String(reply.getHeader('content-type') ?? '')
  return [200, 304].includes(reply.statusCode) && !type.includes('json')
}

/** An agent's own request tells it of its rate, not the calls that answer it. */
function withoutRate({ headers = {} }: Response): Response['headers'] {
  const others = Object.entries(headers).filter(([name]) => !name.startsWith('RateLimit-'))
  return Object.fromEntries(others)
}

function show(payload: unknown): string {
  return String(payload).slice(0, 500)
}
