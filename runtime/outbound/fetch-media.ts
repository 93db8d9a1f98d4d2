import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { FarmError, type Retry } from '../../core/errors.ts'
import { mediaUrlFault } from '../../core/project/media-url.ts'
import { freshSecondsOf } from './freshness.ts'
import { AddressRefused, type Dial, guardedConnect, type Resolve } from './guarded-connect.ts'
import { retryAfterMs } from './retry-after.ts'

const maxRedirects = 3
/**
 * Bytes collected before a write. A large file arrives in a third less time than with a write for
 * each 64 kB.
 */
const writtenAtOnceBytes = 2 ** 20
const redirectStatuses = new Set([301, 302, 303, 307, 308])

export type FetchMediaOptions = {
  url: string
  /** Field of the URL in the request; carried by every error. */
  field: string
  /** Path of the file to write; removed again when the fetch fails. */
  to: string
  maxBytes: number
  /** Validators of the stored version, for a conditional request. */
  known?: Validators
  /** Limit for the whole fetch, redirects included. */
  timeoutMs: number
  signal?: AbortSignal
  /** `host:port` that are exempt from the media URL rule and from the address checks. */
  trustedHosts?: readonly string[]
  /** Replaced in tests only, which must not touch a network. */
  resolve?: Resolve
  dial?: Dial
}

/** Validators of a resource's version (ETag and Last-Modified). */
export type Validators = {
  readonly etag?: string
  readonly lastModified?: string
}
export type Freshness = Validators & { readonly freshSeconds: number }

/** `file`: the fetched file; undefined when the known version is still current. */
export type Fetched = Freshness & {
  readonly file: { readonly bytes: number; readonly sha256: string } | undefined
}

/**
 * Fetches a customer's URL into a file, through the guard. Environment proxies are never used.
 *
 * Errors: FarmError `media_refused` (the URL or a redirect of it breaks the rule),
 * `media_unreachable` (no such host, no answer in time, a status other than 200; its `retry` says
 * whether it may pass), `media_too_large`. When `signal` is aborted: its reason.
 */
export async function fetchMedia(options: FetchMediaOptions): Promise<Fetched> {
  const { field, signal, trustedHosts = [] } = options
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const agent = new Agent({
    connect: guardedConnect({ trustedHosts, resolve: options.resolve, dial: options.dial }),
    pipelining: 0,
  })
  try {
    const stop = signal ? AbortSignal.any([signal, timeout]) : timeout
    const { body, freshness } = await openBody({ ...options, trustedHosts, agent, stop })
    return { ...freshness, file: body && (await saveBody({ ...options, body, stop })) }
  } catch (error) {
    await rm(options.to, { force: true })
    if (signal?.aborted) throw signal.reason
    if (error instanceof FarmError) throw error
    throw timeout.aborted
      ? unreachable(
          field,
          `The address gave no complete answer within ${options.timeoutMs / 1000} s`,
          { retry: slow },
        )
      : explain(error, options)
  } finally {
    await agent.destroy()
  }
}

type Opened = FetchMediaOptions & {
  trustedHosts: readonly string[]
  agent: Agent
  stop: AbortSignal
}

type Answer = {
  readonly body: Dispatcher.ResponseData['body'] | undefined
  readonly freshness: Freshness
}

async function openBody(options: Opened): Promise<Answer> {
  const { field, agent, stop, trustedHosts, known } = options
  let url = options.url
  for (let hop = 0; ; hop += 1) {
    refuseUrl({ url, field, trustedHosts, hop })
    const answer = await request(url, {
      dispatcher: agent,
      signal: stop,
      headers: { ...requestHeaders, ...conditionsOf(known) },
    })
    const { statusCode, headers, body } = answer
    if (statusCode === 200) {
      refuseHeaders({ headers, field, maxBytes: options.maxBytes })
      return { body, freshness: freshnessOf(headers, hop) }
    }
    body.on('error', () => undefined).destroy()
    if (statusCode === 304 && known) {
      return { body: undefined, freshness: { ...known, ...freshnessOf(headers, hop) } }
    }
    const location = headers.location
    if (!redirectStatuses.has(statusCode) || typeof location !== 'string') {
      throw unreachable(field, `The address must answer with status 200. Got ${statusCode}`, {
        retry: isPassing(statusCode)
          ? { afterMs: retryAfterMs(headers['retry-after']) ?? 0 }
          : certain,
      })
    }
    if (hop === maxRedirects) {
      throw new FarmError(
        'media_refused',
        `At most ${maxRedirects} redirects are followed. Got more`,
        { field },
      )
    }
    url = redirected(location, url, field)
  }
}

/** Retry hint for a certain answer, which would repeat. */
const certain: Retry = { triesMax: 1 }
/** Retry hint after a time-out: as many tries as any work gets. */
const slow: Retry = { triesMax: 3 }

/** True for the statuses of a server that is busy or about to return. */
function isPassing(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 408 || statusCode === 425 || statusCode === 429
}

const requestHeaders = {
  accept: '*/*',
  'accept-encoding': 'identity',
  'user-agent': 'render-farm',
}

function conditionsOf({ etag, lastModified }: Validators = {}): Record<string, string> {
  if (etag !== undefined) return { 'if-none-match': etag }
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified }
}

/** A redirected URL is never fresh: it may lead elsewhere tomorrow, whatever its target promises. */
function freshnessOf(headers: Dispatcher.ResponseData['headers'], hops: number): Freshness {
  const { etag, 'last-modified': lastModified } = headers
  return {
    ...(isPlain(etag, 256) && { etag }),
    ...(isPlain(lastModified, 64) && { lastModified }),
    freshSeconds: hops === 0 ? freshSecondsOf(headers) : 0,
  }
}

/** True for one line of printable ASCII; anything else is treated as absent. */
function isPlain(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && /^[\x21-\x7e ]+$/.test(value)
}

/** Resolves a relative `location`; an absolute one is validated as it was written. */
function redirected(location: string, base: string, field: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return location
  if (!URL.canParse(location, base)) {
    throw new FarmError('media_refused', 'A redirect must lead to a URL. Got another text', {
      field,
    })
  }
  return new URL(location, base).href
}

function refuseUrl({
  url,
  field,
  trustedHosts,
  hop,
}: {
  url: string
  field: string
  trustedHosts: readonly string[]
  hop: number
}): void {
  const fault = mediaUrlFault(url, { trustedHosts })
  if (fault === undefined) return
  const which = hop === 0 ? 'The URL' : `What the URL redirects to (hop ${hop})`
  throw new FarmError('media_refused', `${which} ${fault}`, { field })
}

function refuseHeaders({
  headers,
  field,
  maxBytes,
}: {
  headers: Dispatcher.ResponseData['headers']
  field: string
  maxBytes: number
}): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw unreachable(
      field,
      `Media must be sent without content-encoding. Got ${String(encoding).slice(0, 40)}`,
      { retry: certain },
    )
  }
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(field, maxBytes)
}

async function saveBody({
  body,
  to,
  field,
  maxBytes,
  stop,
}: FetchMediaOptions & { body: Dispatcher.ResponseData['body']; stop: AbortSignal }): Promise<{
  bytes: number
  sha256: string
}> {
  const hash = createHash('sha256')
  let bytes = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) return done(tooLarge(field, maxBytes))
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(body, measure, createWriteStream(to, { highWaterMark: writtenAtOnceBytes }), {
    signal: stop,
  })
  return { bytes, sha256: hash.digest('hex') }
}

function explain(error: unknown, { field, url }: FetchMediaOptions): FarmError {
  if (error instanceof AddressRefused) {
    return new FarmError('media_refused', error.message, { field, cause: error })
  }
  const code = codeOf(error)
  if (code && localFaults.has(code)) {
    return new FarmError('disk_full', 'A machine of the farm has no room on its disk.', {
      cause: error,
    })
  }
  if (code === 'ENOTFOUND' || code === 'ENODATA') {
    return unreachable(field, `The host must have a DNS entry. Got none for ${hostOf(url)}`, {
      cause: error,
      retry: certain,
    })
  }
  const isCertain = code !== undefined && certificateFault.test(code)
  return unreachable(field, `The address must be reachable. Got ${code ?? 'no answer'}`, {
    cause: error,
    retry: isCertain ? certain : undefined,
  })
}

/** Node's error codes for bad certificates, which retries do not fix. */
const certificateFault = /CERT|SELF_SIGNED|ISSUER|HOSTNAME_MISMATCH/

const localFaults = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

function codeOf(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return undefined
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'it'
}

function unreachable(
  field: string,
  message: string,
  options: { cause?: unknown; retry?: Retry | undefined },
): FarmError {
  return new FarmError('media_unreachable', message, { field, ...options })
}

function tooLarge(field: string, maxBytes: number): FarmError {
  return new FarmError('media_too_large', `Media must be at most ${maxBytes} bytes. Got more`, {
    field,
  })
}
