import type { Operations } from './api-types.ts'
import { errorOf, FarmApiError, notAFarm, unreachable } from './farm-api-error.ts'
import { sleep, waitBeforeRetry } from './retry.ts'

export type FarmClientOptions = {
  /** Address of the farm: `https://farm.example.com`. */
  readonly url: string
  /** Replaces the global fetch, for example behind a proxy. */
  readonly fetch?: typeof globalThis.fetch
  /** Retries after a transient failure; 6, which take about 20 seconds. */
  readonly retries?: number
  /** Time limit of one attempt, until its response has arrived; 30,000. */
  readonly timeoutMs?: number
} & Credential

type Credential =
  | {
      /** `svc_` and 64 hex digits; null: none is sent, as `fetch` adds a credential itself. */
      readonly apiKey: string | null
      readonly accessToken?: never
    }
  | {
      /** Token of a user who signed in, for routes that take no key, such as `connections`. */
      readonly accessToken: string
      readonly apiKey?: never
    }

export type CallOptions = {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Overrides the client's setting. */
  readonly retries?: number
}

export type ActOptions = CallOptions & {
  /** Makes repeated requests with one key act once. A new key is made for each call if absent. */
  readonly idempotencyKey?: string
}

export type Route = keyof Operations
export type Reply<R extends Route> = Operations[R]['reply']
export type Body<R extends Route> = Operations[R] extends { readonly body: infer B } ? B : never
export type Query<R extends Route> = Operations[R] extends { readonly query?: infer Q } ? Q : never

/** Inputs of a route: the id or name in its path, its body, its query. */
export type Given<R extends Route> = CallOptions &
  (R extends `${string}{${string}}${string}` ? { readonly id: string } : unknown) &
  Pick<Operations[R], keyof Operations[R] & ('body' | 'query')>

type Sent = ActOptions & {
  readonly id?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** A file as the body, in place of JSON. */
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of one attempt, if it is longer than the client's. */
  readonly attemptMs?: number
}

export type Caller = {
  /** Sends an idempotent request, which may be repeated any number of times. */
  ask<R extends Route>(route: R, given: Given<R>): Promise<Reply<R>>
  /** Sends a POST that creates something. Its Idempotency-Key makes retries safe. */
  act<R extends Route & `POST ${string}`>(route: R, given: Given<R> & ActOptions): Promise<Reply<R>>
  /** Sends a request whose response is not JSON. `read` must finish within the time of an attempt. */
  fetch<T>(route: string, sent: Sent, read: (response: Response) => Promise<T>): Promise<T>
}

const defaultRetries = 6
const defaultTimeoutMs = 30_000

/**
 * Sends requests of one account and parses the responses. Every call throws FarmApiError.
 * @throws TypeError when the options are invalid
 */
export function createCaller({
  url,
  apiKey,
  accessToken,
  fetch = globalThis.fetch,
  retries = defaultRetries,
  timeoutMs = defaultTimeoutMs,
}: FarmClientOptions): Caller {
  const base = readBase(url)
  const credential = credentialOf({ apiKey, accessToken })
  return {
    ask: <R extends Route>(route: R, given: Given<R>) => send(route, given, readJson<Reply<R>>),
    act: <R extends Route>(route: R, given: Given<R> & ActOptions) => {
      const idempotencyKey = given.idempotencyKey ?? newKey()
      return send(route, { ...given, idempotencyKey }, readJson<Reply<R>>)
    },
    fetch: send,
  }

  async function send<T>(
    route: string,
    sent: Sent,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    // Built before sending: an invalid body or key is not a lost connection.
    const request = requestOf(route, sent)
    let isLost = false
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(request, read)
      } catch (error) {
        sent.signal?.throwIfAborted()
        if (!(error instanceof FarmApiError)) throw error
        // An earlier attempt, whose response was lost, had deleted it.
        const isGone = isLost && request.init.method === 'DELETE' && error.status === 404
        if (isGone) return await read(new Response('{"deleted":true}'))
        isLost ||= error.code === 'unreachable'
        const wait = waitBeforeRetry(error, attempt)
        if (wait === undefined || attempt > (sent.retries ?? retries)) throw error
        await sleep(wait, sent.signal)
      }
    }
  }

  function requestOf(route: string, { id = '', query = {}, body, file, ...sent }: Sent) {
    const [method = '', path = ''] = route.split(' ')
    const headers = new Headers({ ...credential, ...sent.headers })
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (file !== undefined) headers.set('content-type', 'application/octet-stream')
    if (sent.idempotencyKey !== undefined) headers.set('idempotency-key', sent.idempotencyKey)
    return {
      address: base + path.replace(/\{\w+\}/, () => segmentOf(id)) + search(query),
      init: {
        ...{ method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
        ...(file && { body: file }),
      },
      signal: sent.signal,
      attemptMs: Math.max(timeoutMs, sent.attemptMs ?? 0),
    }
  }

  async function sendOnce<T>(
    { address, init, signal, attemptMs }: ReturnType<typeof requestOf>,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLate(attemptMs)), attemptMs)
    try {
      const ending = signal ? AbortSignal.any([signal, late.signal]) : late.signal
      const response = await fetch(address, { ...init, signal: ending })
      if (!response.ok) throw await errorOf(base, response)
      return await read(response)
    } catch (error) {
      throw error instanceof FarmApiError ? error : unreachable(base, error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function readJson<T>(response: Response): Promise<T> {
    const text = await response.text()
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw notAFarm(base, response, cause)
    }
  }
}

function readBase(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' }
  if (protocol === 'http:' || protocol === 'https:') return url.replace(/\/+$/, '')
  throw new TypeError(`url must be an http(s) address, like https://farm.example.com. Got ${url}`)
}

/** Refuses what would lead to another route: an address drops empty and dotted parts of a path. */
function segmentOf(id: string): string {
  if (!['', '.', '..'].includes(id)) return encodeURIComponent(id)
  const detail = `id must be an id. Got ${JSON.stringify(id)}`
  throw new FarmApiError({ status: 400, code: 'invalid_request', detail })
}

function tooLate(ms: number): DOMException {
  return new DOMException(`an answer must come within ${ms / 1000} s`, 'TimeoutError')
}

function search(query: Readonly<Record<string, unknown>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value))
  }
  return given.size > 0 ? `?${given}` : ''
}

/** Returns 32 hex digits. `crypto.randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function credentialOf({
  apiKey,
  accessToken,
}: {
  readonly apiKey: string | null | undefined
  readonly accessToken: string | undefined
}): Record<string, string> {
  if (apiKey === null) return {}
  const isToken = accessToken !== undefined
  if (!/^[\x21-\x7e]+$/.test(accessToken ?? apiKey ?? '')) {
    throw new TypeError(
      isToken
        ? 'accessToken must be a token of a user who signed in'
        : 'apiKey must be a key of the farm, like svc_ and 64 hex digits',
    )
  }
  return isToken ? { authorization: `Bearer ${accessToken}` } : { 'x-api-key': apiKey ?? '' }
}
