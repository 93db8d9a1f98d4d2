/**
 * Every error a customer can meet. `blame`: the party at fault; the farm's own errors are retried
 * and never charged. `retryable`: another node may succeed. `http`: status when found at submission.
 */
export const errorCodes = {
  invalid_request: { blame: 'customer', retryable: false, http: 400 },
  unauthorized: { blame: 'customer', retryable: false, http: 401 },
  insufficient_credits: { blame: 'customer', retryable: false, http: 402 },
  forbidden: { blame: 'customer', retryable: false, http: 403 },
  not_found: { blame: 'customer', retryable: false, http: 404 },
  method_not_allowed: { blame: 'customer', retryable: false, http: 405 },
  conflict: { blame: 'customer', retryable: false, http: 409 },
  quote_changed: { blame: 'customer', retryable: false, http: 409 },
  quote_expired: { blame: 'customer', retryable: false, http: 410 },
  body_too_large: { blame: 'customer', retryable: false, http: 413 },
  unsupported_media_type: { blame: 'customer', retryable: false, http: 415 },
  invalid_value: { blame: 'customer', retryable: false, http: 422 },
  invalid_project: { blame: 'customer', retryable: false, http: 422 },
  plan_limit: { blame: 'customer', retryable: false, http: 422 },
  too_many_requests: { blame: 'customer', retryable: true, http: 429 },
  media_unreachable: { blame: 'customer', retryable: true, http: 422 },
  media_refused: { blame: 'customer', retryable: false, http: 422 },
  media_invalid: { blame: 'customer', retryable: false, http: 422 },
  media_too_large: { blame: 'customer', retryable: false, http: 422 },
  element_invalid: { blame: 'customer', retryable: false, http: 422 },
  cancelled: { blame: 'customer', retryable: false, http: 409 },
  node_lost: { blame: 'farm', retryable: true, http: 500 },
  disk_full: { blame: 'farm', retryable: true, http: 500 },
  store_unavailable: { blame: 'farm', retryable: true, http: 503 },
  unavailable: { blame: 'farm', retryable: true, http: 503 },
  internal: { blame: 'farm', retryable: true, http: 500 },
} as const satisfies Record<
  string,
  { blame: 'customer' | 'farm'; retryable: boolean; http: number }
>

export type ErrorCode = keyof typeof errorCodes

/** One fault of a request. `field` looks like `scenes[0].visuals[2].enterEnd`; '' is the whole body. */
export type Fault = {
  readonly field: string
  /** RFC 6901 pointer into the body as it was sent; absent where `field` is enough. */
  readonly pointer?: string
  readonly code: ErrorCode
  /** States the rule, then the value seen. */
  readonly message: string
}

/** Returns the RFC 6901 pointer of a `field`: `scenes[0].src` → `/scenes/0/src`. */
export function pointerOf(field: string): string {
  if (field === '') return ''
  const parts = field.replace(/\[(\d+)\]/g, '.$1').split('.')
  return parts
    .filter((part) => part !== '')
    .map((part) => `/${part.replace(/~/g, '~0').replace(/\//g, '~1')}`)
    .join('')
}

/** `triesMax`: tries worth making in all, 1 where the answer is certain. `afterMs`: earliest retry. */
export type Retry = { readonly triesMax?: number; readonly afterMs?: number }

/** Fields of a render request beside its payload. */
const besides = new Set([
  ...['variables', 'overrides', 'template', 'project', 'webhookUrl', 'jobId', 'payload'],
])

/** True for a field of the render request itself; all others are in its payload. */
export function isBesidePayload(field: string): boolean {
  return besides.has(field.split(/[.[]/, 1)[0] ?? '')
}

type Found = { readonly field: string; readonly pointer?: string }

/**
 * Returns the pointer into the request for a fault found in its job. A request with a template
 * names its payload only.
 */
export function pointerInJob({ field, pointer }: Found, templateId: string | null): string {
  const root = field === '' || isBesidePayload(field) ? '' : '/payload'
  const whole = pointer ?? `${root}${pointerOf(field)}`
  return templateId === null ? whole : inStead(whole, '/template')
}

/**
 * Replaces a pointer into a payload that was not sent by `place`, the part of the body it came from.
 */
export function inStead(pointer: string, place: string): string {
  return /^\/payload(?:\/|$)/.test(pointer) ? place : pointer
}

/** An error that a customer may read. `message` is safe to show; the cause is logged and never sent. */
export class FarmError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly details: readonly Fault[]
  /** Retry hint of an error that may pass by itself; absent: the code decides. */
  readonly retry: Retry | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      field?: string
      details?: readonly Fault[]
      cause?: unknown
      retry?: Retry | undefined
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'FarmError'
    this.code = code
    this.field = options.field
    this.details = options.details ?? []
    this.retry = options.retry
  }
}
