import type { Operations } from './api-types.ts'

/** Faults of one item of a bulk. */
export type ItemFaults = Operations['POST /api/render/bulk/api-key']['reply']['errors'][number]

/** One fault of a request: `field` is `scenes[0].visuals[2].enterEnd`, '' the whole body. */
export type RequestFault = ItemFaults['details'][number]

type Said = {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: readonly RequestFault[]
  readonly itemErrors?: readonly ItemFaults[]
  readonly retryAfter?: number | null
  readonly problem?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * The client's only error: the farm refused a request, or cannot be reached. An abort by `signal`
 * throws its reason instead.
 */
export class FarmApiError extends Error {
  override readonly name = 'FarmApiError'
  /** HTTP status; 0 without a response, 400 for an id that is not sent. */
  readonly status: number
  /** Code as in docs/errors.md, or one of the client's own: `unreachable` and `not_a_farm`. */
  readonly code: string
  /** Message for people, the same as the error's. */
  readonly detail: string
  /** Every fault of the request, each with its `field` and the same as a `pointer`. */
  readonly errors: readonly RequestFault[]
  /** Faults by item index, when every item of a bulk was refused. */
  readonly itemErrors: readonly ItemFaults[]
  /** Seconds that the farm wants the client to wait before a retry. */
  readonly retryAfter: number | null
  /** Whole error response, for `planLimits`, `creditsRequired` and `creditsAvailable`. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(said: Said) {
    super(said.detail, { cause: said.cause })
    this.status = said.status
    this.code = said.code
    this.detail = said.detail
    this.errors = said.errors ?? []
    this.itemErrors = said.itemErrors ?? []
    this.retryAfter = said.retryAfter ?? null
    this.problem = said.problem ?? {}
  }
}

/** Error for a missing or partial response. */
export function unreachable(url: string, cause: unknown): FarmApiError {
  const { message, cause: deeper } = cause as Error
  const why = deeper instanceof Error && deeper.message !== '' ? deeper.message : message
  const detail = `the farm at ${url} cannot be reached: ${why}`
  return new FarmApiError({ status: 0, code: 'unreachable', detail, cause })
}

/** Error for a response from something else: a proxy, or a service at another address. */
export function notAFarm(url: string, { status }: Response, cause: unknown): FarmApiError {
  const detail = `${url} must answer as a farm does. Got HTTP ${status} and no JSON`
  return new FarmApiError({ status, code: 'not_a_farm', detail, cause })
}

type Problem = {
  readonly code: string
  readonly detail: string
  readonly details?: readonly RequestFault[]
  readonly errors?: readonly ItemFaults[]
}

/** Reads the error from a response. */
export async function errorOf(url: string, response: Response): Promise<FarmApiError> {
  const { status } = response
  const retryAfter = readRetryAfter(response.headers.get('retry-after'))
  const problem = await response.json().catch(() => null)
  if (!isProblem(problem)) {
    const detail = `${url} answered HTTP ${status}`
    return new FarmApiError({ status, code: 'not_a_farm', detail, retryAfter })
  }
  const { code, detail, details = [], errors = [] } = problem
  return new FarmApiError({
    ...{ status, code, detail, retryAfter, problem },
    ...{ errors: details, itemErrors: errors },
  })
}

function isProblem(value: unknown): value is Problem & Record<string, unknown> {
  const { code, detail } = (value ?? {}) as Partial<Problem>
  return typeof code === 'string' && typeof detail === 'string'
}

/** Reads a header of seconds or a date, in seconds; null for neither. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
