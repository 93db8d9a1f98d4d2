import { STATUS_CODES } from 'node:http'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { published } from '../../core/project/schema/publish.ts'
import { keyedHeaders } from '../gateway/idempotency.ts'
import { Problem } from '../gateway/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Schema of the route's body, for the published interface. */
    body?: TSchema
    /** Bodies of other media types. Beside `body` they say the same. */
    otherBodies?: Readonly<Record<string, TSchema>>
    /** The body may be left out. */
    isBodyOptional?: boolean
  }
}

/** A route with its schema and config. */
export type Described = {
  readonly method: string
  readonly schema: FastifySchema
  readonly config: FastifyContextConfig
}

/** An answer that is not JSON, or has no body at all. */
type Media = {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>
}

/** Builds the part of a route that swagger writes: its parameters and its security. */
export function describeParameters(described: Described): FastifySchema {
  const { schema, config } = described
  if (!schema || ('hide' in schema && schema.hide)) return schema
  const { response: _, ...rest } = schema
  const { credentials = [] } = config
  return {
    ...rest,
    security: credentials.map((kind) => ({ [kind]: [] })),
    ...(mayHaveKey(described) && { headers: keyedHeaders }),
  }
}

/**
 * Operators' changes are on record, each with its outcome, and take no Idempotency-Key. Nor do files:
 * the same bytes are the same upload.
 */
function mayHaveKey({ method, config }: Described): boolean {
  const { credentials = [], body, otherBodies } = config
  const isFile = otherBodies !== undefined && body === undefined
  return method === 'POST' && credentials.length > 0 && !credentials.includes('operator') && !isFile
}

/** Example body of a route, and the answer to it; undefined where there is none. */
export type Examples = { readonly request?: unknown; readonly answer?: unknown }

/**
 * Describes the body and the answers of a route; schemas with an `$id` are put into `parts` and
 * referenced.
 */
export function describeOperation(
  described: Described,
  parts: Record<string, unknown>,
  examples: Examples = {},
) {
  const { body, otherBodies = {}, isBodyOptional = false } = described.config
  const answers = Object.entries({
    ...gatewayAnswers(described),
    ...(described.schema.response as object),
  })
  return {
    ...((body || Object.keys(otherBodies).length > 0) && {
      requestBody: {
        required: !isBodyOptional,
        content: {
          ...(body && contentOf({ 'application/json': body }, examples.request)),
          ...contentOf(otherBodies),
        },
      },
    }),
    responses: Object.fromEntries(
      answers.map(([status, answer]) => [status, describeAnswer(status, answer)]),
    ),
  }

  function describeAnswer(status: string, answer: TSchema | Media) {
    const type = answer === Problem ? 'application/problem+json' : 'application/json'
    const { description, content = {} } = isMedia(answer)
      ? answer
      : { content: { [type]: { schema: answer } } }
    const headers = headersOf(status, described.config)
    const schemas = Object.entries(content).map(([media, { schema }]) => [media, schema])
    return {
      description:
        description ?? STATUS_CODES[status] ?? 'The farm failed or is temporarily unavailable',
      ...(headers && { headers }),
      ...(schemas.length > 0 && {
        content: contentOf(Object.fromEntries(schemas), exampleOf(status)),
      }),
    }
  }

  /** The example is one of the first good answer. */
  function exampleOf(status: string): unknown {
    const good = answers.map(([each]) => each).filter((each) => each.startsWith('2'))
    return status === good.toSorted()[0] ? examples.answer : undefined
  }

  function contentOf(schemas: Readonly<Record<string, unknown>>, example?: unknown) {
    return Object.fromEntries(
      Object.entries(schemas).map(([type, of]) => {
        const isShown = example !== undefined && type.endsWith('json')
        return [type, { schema: published(of, parts), ...(isShown && { example }) }]
      }),
    )
  }
}

function isMedia(answer: TSchema | Media): answer is Media {
  return Object.keys(answer).every((key) => key === 'content' || key === 'description')
}

/** Answers that the gateway may give in place of any route. */
function gatewayAnswers({ method, schema, config: { credentials = [] } }: Described) {
  const mayHaveBody = method !== 'GET'
  return {
    429: Problem,
    ...(credentials.length > 0 && { 401: Problem, 403: Problem }),
    ...((mayHaveBody || schema.querystring !== undefined) && { 400: Problem, 422: Problem }),
    ...(mayHaveBody && { 413: Problem, 415: Problem }),
    ...(method === 'POST' && credentials.length > 0 && { 409: Problem }),
    '5XX': Problem,
  }
}

const requestId = {
  'X-Request-Id': {
    schema: { type: 'string' },
    description: 'Request id as sent, or a new one; error bodies and the service log contain it',
  },
}
const seconds = { schema: { type: 'integer', minimum: 0 } }

/** Headers that an answer of this status always has. */
function headersOf(status: string, { credentials = [] }: FastifyContextConfig) {
  if (status === '401')
    return required({ ...requestId, 'WWW-Authenticate': { schema: { type: 'string' } } })
  if (status === '429') return required({ ...requestId, 'Retry-After': seconds })
  if (!status.startsWith('2') || credentials.length === 0) return required(requestId)
  return required({
    ...requestId,
    'RateLimit-Limit': {
      schema: { type: 'integer', minimum: 1 },
      description: 'Requests per minute',
    },
    'RateLimit-Remaining': { schema: { type: 'integer', minimum: 0 } },
    'RateLimit-Reset': { ...seconds, description: 'Seconds until the limit resets' },
  })
}

function required(headers: Readonly<Record<string, object>>) {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, header]) => [name, { ...header, required: true }]))
}
