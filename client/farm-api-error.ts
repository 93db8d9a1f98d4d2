import type { AcceptedBulk } from './bulks.ts'

/** What is wrong with one item of a bulk. */
export type ItemFaults = AcceptedBulk['errors'][number]

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
 * The one error of the client, when the farm refuses a request or cannot be asked. What is said with
 * `signal` is thrown as it is.
 */
export class FarmApiError extends Error {
  override readonly name = 'FarmApiError'
  /** Of HTTP; 0 when no answer came. */
  readonly status: number
  /** As in docs/errors.md, and two of the client's own: `unreachable`, and `not_a_farm`. */
  readonly code: string
  /** For people; also the error's message. */
  readonly detail: string
  /** Every fault of the request, each with its `field` and the same as a `pointer`. */
  readonly errors: readonly RequestFault[]
  /** When every item of a bulk was refused: why, by its index. */
  readonly itemErrors: readonly ItemFaults[]
  /** Seconds after which the farm wants to be asked again. */
  readonly retryAfter: number | null
  /** The whole answer, for `planLimits`, `creditsRequired` and `creditsAvailable`. */
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

/** No answer came, or only a part of one. */
export function unreachable(url: string, cause: unknown): FarmApiError {
  const { message, cause: deeper } = cause as Error
  const why = deeper instanceof Error && deeper.message !== '' ? deeper.message : message
  const detail = `the farm at ${url} cannot be reached: ${why}`
  return new FarmApiError({ status: 0, code: 'unreachable', detail, cause })
}

/** What answered is something else: a proxy, or a service at another address. */
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

/** The error that an answer tells of. */
export async function refusalOf(url: string, response: Response): Promise<FarmApiError> {
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

/** Seconds from a header that has either those or a date; null when it has neither. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
