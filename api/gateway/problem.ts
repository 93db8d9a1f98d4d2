import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { counted, leftText } from '../../core/counted.ts'
import { type ErrorCode, errorCodes, FarmError, type Fault, pointerOf } from '../../core/errors.ts'
import { maxBodyBytes } from '../../core/limits.ts'
import type { AgentRefusal } from '../../store/db/agents/spend-agent-credits.ts'
import { isDatabaseAway } from '../../store/db/database.ts'
import { methodsOf } from './access.ts'
import { pathOf, withoutQuery } from './path.ts'
import type { Server } from './typed-server.ts'

/** One fault of a request. */
export const Detail = Type.Object({
  field: Type.String({
    description: 'Path like scenes[0].visuals[2].enterEnd; empty for the whole body',
  }),
  pointer: Type.String({ description: 'JSON pointer (RFC 6901) into the body as sent' }),
  code: Type.String(),
  message: Type.String(),
})

/** An error as a customer gets it: RFC 9457, with the members that clients of this kind expect. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    error: Type.String({ description: 'Same text as title' }),
    message: Type.String({ description: 'Same text as detail' }),
    code: Type.String(),
    requestId: Type.Optional(
      Type.String({
        description: 'Same as the header X-Request-Id; name it when you ask for support',
      }),
    ),
    details: Type.Array(Detail),
    planLimits: Type.Optional(Type.Record(Type.String(), Type.Number())),
    creditsRequired: Type.Optional(Type.Integer()),
    creditsAvailable: Type.Optional(Type.Integer()),
    errors: Type.Optional(
      Type.Array(Type.Object({ index: Type.Integer(), details: Type.Array(Detail) }), {
        description: 'Faults of each refused item of a bulk',
      }),
    ),
  },
  { $id: 'Problem' },
)

/** Errors of a submission, by status. */
export const submissionProblems = {
  ...{ 400: Problem, 402: Problem, 404: Problem, 409: Problem, 422: Problem },
}

const titles = {
  invalid_request: 'The request is not valid',
  unauthorized: 'No valid credential',
  insufficient_credits: 'Not enough credits',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict with the current state',
  quote_changed: 'The quote no longer holds',
  quote_expired: 'The quote has expired',
  body_too_large: 'The body is too large',
  unsupported_media_type: 'Unsupported media type',
  invalid_value: 'A value is not allowed',
  invalid_project: 'The project is not valid',
  plan_limit: 'A limit of the plan is exceeded',
  too_many_requests: 'Too many requests',
  media_unreachable: 'Media could not be fetched',
  media_refused: 'Media address refused',
  media_invalid: 'Media could not be read',
  media_too_large: 'Media too large',
  element_invalid: 'An element is not valid',
  cancelled: 'Cancelled',
  node_lost: 'A node was lost',
  disk_full: 'No disk space left',
  store_unavailable: 'Storage is unavailable',
  unavailable: 'The service is unavailable',
  internal: 'The farm failed',
} as const satisfies Record<ErrorCode, string>

export function titleOf(code: ErrorCode): string {
  return titles[code]
}

/** Members that only some problems have. */
export type Extra = {
  readonly planLimits?: Readonly<Record<string, number>>
  readonly creditsRequired?: number
  readonly creditsAvailable?: number
  readonly errors?: readonly { readonly index: number; readonly details: readonly Fault[] }[]
}

/** A FarmError with the extra members of its answer, and the time to retry. */
export class ProblemError extends FarmError {
  readonly extra: Extra
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    {
      extra = {},
      details = [],
      retryAfterSeconds,
    }: { extra?: Extra; details?: readonly Fault[]; retryAfterSeconds?: number },
  ) {
    super(code, message, { details })
    this.extra = extra
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // The framework finds fault with the body first, even where there is no such path.
  const isNowhere = request.is404 && !(error instanceof FarmError)
  if (isNowhere) answerNotFound(request, reply)
  else answer(error, request, reply)
}

/** Returns the seconds after which a request may succeed; undefined: nobody knows. */
function retryAfterOf(error: FarmError): number | undefined {
  if (error instanceof ProblemError) return error.retryAfterSeconds
  const { afterMs } = error.retry ?? {}
  return afterMs ? Math.ceil(afterMs / 1000) : undefined
}

function answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof FarmError ? error : translate(error as FastifyError, request)
  const { blame, http } = errorCodes[known.code]
  if (blame === 'farm') request.log.error({ err: error, url: request.routeOptions.url }, 'failed')
  const retryAfter = retryAfterOf(known)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  if (http === 401) reply.header('www-authenticate', challengeOf(request, known))
  // A body that was refused unread must not be parsed as the next request.
  if (!request.raw.complete) reply.header('connection', 'close')
  // A 401 differs by nothing of the request; its id is only in the header.
  const id = http === 401 ? {} : { requestId: request.id }
  reply
    .code(http)
    .type('application/problem+json')
    .send({ ...problemOf(known), ...id })
}

/** Tells how to get in: of a token that was sent, also why it is not valid (RFC 6750). */
function challengeOf({ headers, routeOptions }: FastifyRequest, { message }: FarmError): string {
  const { challenge } = routeOptions.config
  if (challenge === undefined) return 'Bearer'
  // A key goes before a token: nothing is known of the token then.
  const isOfToken = headers.authorization !== undefined && headers['x-api-key'] === undefined
  if (!isOfToken) return challenge
  return `${challenge}, error="invalid_token", error_description="${message}"`
}

/** Answers an unreadable address, for which no route and no hook runs. */
export function answerBadAddress(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
  const rule = isLong ? 'have segments no longer than an id' : 'have complete escapes like %2F'
  const seen = JSON.stringify(withoutQuery(request.raw.url ?? '').slice(0, 200))
  const message = `The path must ${rule}. Got ${seen}`
  reply.header('x-content-type-options', 'nosniff').header('access-control-allow-origin', '*')
  reply.header('x-request-id', request.id)
  answer(new FarmError('invalid_request', message), request, reply)
}

/**
 * Keeps a literal path from matching a parameter: /api/render/bulk/api-key is no bulk's progress,
 * even by another method than that route's. An empty segment is no parameter either: /api/jobs//events.
 */
export function refuseSpelledOut(server: Server): void {
  server.addHook('onRequest', async (request, reply) => {
    const { routeOptions, url } = request
    if (!routeOptions.url?.includes(':')) return
    const path = pathOf(url)
    const isEmpty = path.includes('//') || path.endsWith('/')
    if (!isEmpty && !server.access.some((route) => route.path === path)) return
    answerNotFound(request, reply)
    return reply
  })
}

/** Answers 404, or 405 where another method would be answered. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const { method, url, server } = request
  const seen = `Got ${method} ${withoutQuery(url).slice(0, 200)}`
  const allowed = methodsOf(server.access, pathOf(url))
  if (allowed.length === 0) {
    const message = `The path must be one of the service's. ${seen}`
    answer(new FarmError('not_found', message), request, reply)
    return
  }
  const list = allowed.join(', ')
  reply.header('allow', list)
  const message = `The method must be one of ${list}. ${seen}`
  answer(new FarmError('method_not_allowed', message), request, reply)
}

/** The body of an answer. */
export function problemOf(error: FarmError) {
  const { code, message, field, details } = error
  const faults = details.length > 0 || field === undefined ? details : [{ field, code, message }]
  return {
    type: `urn:farm:problem:${code}`,
    title: titles[code],
    status: errorCodes[code].http,
    detail: message,
    error: titles[code],
    message,
    code,
    details: showFaults(faults),
    ...(error instanceof ProblemError && showExtra(error.extra)),
  }
}

function showExtra({ errors, ...extra }: Extra) {
  if (!errors) return extra
  const shown = errors.map(({ index, details }) => ({ index, details: showFaults(details) }))
  return { ...extra, errors: shown }
}

export function showFaults(faults: readonly Fault[]) {
  return faults.map((fault) => ({ ...fault, pointer: fault.pointer ?? pointerOf(fault.field) }))
}

/** The credits exceed the key's cap. */
export function overCap({
  cap,
  left,
  credits,
}: {
  cap: number
  left: number
  credits: number
}): ProblemError {
  const rule = `Jobs of this key must fit its spending cap of ${counted(cap, 'credit')}`
  const message = `${rule}. Got ${credits}, but ${leftText(left)}`
  return new ProblemError('insufficient_credits', message, {
    extra: { creditsRequired: credits, creditsAvailable: left },
    details: [capFault('creditCap', message)],
  })
}

type Cap = 'creditCap' | 'renderCap' | 'totalCap' | 'bulkCap' | 'budget'

/** Names the cap that refuses, so that a program can tell it from a lack of credits. */
function capFault(field: Cap, message: string): Fault {
  return { field, pointer: '', code: 'insufficient_credits', message }
}

/** The caps of a connected agent, or its end, refuse what it wants to spend. */
export function agentRefused(refusal: AgentRefusal, credits: number): ProblemError {
  const change = 'a user of the account can change it'
  switch (refusal.why) {
    case 'ended':
      return new ProblemError(
        'forbidden',
        'The agent must be connected. Got one that has been disconnected; connect it again',
        {},
      )
    case 'items': {
      const rule = `A bulk of this agent must have at most ${counted(refusal.cap, 'item')}`
      const message = `${rule}. Got more; ${change}`
      return new ProblemError('insufficient_credits', message, {
        details: [capFault('bulkCap', message)],
      })
    }
    default: {
      const rule =
        refusal.why === 'render'
          ? `A render of this agent must cost at most ${counted(refusal.cap, 'credit')}`
          : `Renders of this agent must fit its spending cap of ${counted(refusal.cap, 'credit')}`
      const left = refusal.why === 'total' ? `, but ${leftText(refusal.left)}` : ''
      const message = `${rule}. Got ${credits}${left}; ${change}`
      const field = refusal.why === 'render' ? 'renderCap' : 'totalCap'
      return new ProblemError('insufficient_credits', message, {
        extra: { creditsRequired: credits, creditsAvailable: refusal.left },
        details: [capFault(field, message)],
      })
    }
  }
}

/** The account cannot pay, or has spent the budget that its operators gave it. */
export function insufficientCredits({
  creditsRequired,
  creditsAvailable,
  budgetSpentUntil = null,
}: {
  creditsRequired: number
  creditsAvailable: number
  budgetSpentUntil?: Date | null
}): ProblemError {
  if (budgetSpentUntil !== null) {
    const rule = 'Jobs must fit the account’s monthly budget, which the operators of the farm set'
    const until = budgetSpentUntil.toISOString().slice(0, 10)
    const message = `${rule}. Got ${counted(creditsRequired, 'credit')}, but it is spent until ${until}`
    return new ProblemError('insufficient_credits', message, {
      extra: { creditsRequired, creditsAvailable },
      details: [capFault('budget', message)],
    })
  }
  const message = `The account must have ${counted(creditsRequired, 'credit')} to spend. Got ${creditsAvailable}`
  return new ProblemError('insufficient_credits', message, {
    extra: { creditsRequired, creditsAvailable },
  })
}

/** Translates errors of the framework or a store into the farm's own. */
function translate(error: FastifyError, request: FastifyRequest): FarmError {
  const options = { cause: error }
  if (error.validation) return invalidParameters(error, request)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new FarmError(
        'body_too_large',
        `The body must have at most ${maxBodyBytes} bytes. Got more`,
        options,
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new FarmError(
        'unsupported_media_type',
        'The body must be application/json. Got another content-type, or none',
        options,
      )
    default:
      break
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new FarmError('invalid_request', error.message, options)
  }
  if (isDatabaseAway(error)) {
    return new FarmError(
      'unavailable',
      'The service is temporarily unavailable; try again',
      options,
    )
  }
  return new FarmError('internal', 'The farm failed to process this request', options)
}

const partNames = { params: 'path', querystring: 'query', headers: 'headers', body: 'body' }

type ParameterSchema = {
  readonly title?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly { readonly const?: string }[]
  /** Schema of each value, where a parameter has several. */
  readonly items?: ParameterSchema
}

/** Adds the allowed values, which the checker's own message leaves out. */
function ruleOf(schema: ParameterSchema = {}): string | undefined {
  if (schema.title !== undefined) return `must be ${schema.title}`
  if (schema.items) return ruleOf(schema.items)
  const values = schema.enum ?? schema.anyOf?.map((one) => one.const)
  return values && `must be one of ${values.join(', ')}`
}

function invalidParameters(
  { validation = [], validationContext = 'body' }: FastifyError,
  { params, query, headers, body, routeOptions }: FastifyRequest,
): FarmError {
  const sent = { params, querystring: query, headers, body }[validationContext] ?? {}
  const { properties = {} } = (routeOptions.schema?.[validationContext] ?? {}) as {
    properties?: Readonly<Record<string, ParameterSchema>>
  }
  const faults = validation.flatMap(({ instancePath, message, params: given }): Fault[] => {
    const code = 'invalid_request'
    const unknown = given.additionalProperties
    if (Array.isArray(unknown)) {
      const names = Object.keys(properties).join(', ')
      const rule = names ? `A parameter must be one of ${names}` : 'This route takes no parameters'
      return unknown.map((field) => ({ field, code, message: `${rule}. Got ${field}` }))
    }
    const [field = ''] = instancePath.slice(1).split('/')
    if (field !== '' && !Object.hasOwn(properties, field)) return []
    const rule = ruleOf(properties[field]) ?? message
    const seen = JSON.stringify((sent as Record<string, unknown>)[field])?.slice(0, 80)
    return [{ field, code, message: `${field} ${rule}. Got ${seen ?? 'nothing'}` }]
  })
  // Deduplicated, because an unknown parameter is reported twice.
  const details = [...new Map(faults.map((fault) => [fault.field, fault])).values()]
  const [first] = details
  const one = details.length === 1 && first
  const message = `The ${partNames[validationContext]} of the request is not valid`
  return new FarmError('invalid_request', one ? one.message : message, { details })
}
