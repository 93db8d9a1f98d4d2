import { Agent, type Dispatcher, request } from 'undici'
import { webhookUrlFault } from '../../core/project/media-url.ts'
import { attemptTimeoutMs, maxAnswerBytes } from '../../core/webhooks/schedule.ts'
import { AddressRefused, type Dial, guardedConnect, type Resolve } from './guarded-connect.ts'
import { createPublicResolve } from './resolve-public.ts'

const resolvePublic = createPublicResolve()

export type PostWebhookOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Limit for the whole exchange. */
  readonly timeoutMs?: number
  /** `host:port` that are exempt from the URL rule and from the address checks. */
  readonly trustedHosts: readonly string[]
  /** Replaced in tests only, which must not touch a network. */
  readonly resolve?: Resolve | undefined
  readonly dial?: Dial | undefined
}

/** `error` is null when the receiver accepted it, else a sentence that its owner may read. */
export type WebhookAnswer = {
  readonly responseCode: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** Kind of a failed attempt, for metrics and traces. */
export type WebhookFailure =
  | 'url_refused'
  | 'address_refused'
  | 'name_unknown'
  | 'unreachable'
  | 'timeout'
  | 'answer_refused'

type Fault = { readonly failure: WebhookFailure; readonly error: string }

/**
 * Makes one attempt, through the guard: the URL's text, every resolved address, the connected
 * address. Redirects are not followed, environment proxies not used, a response is read to 64 KB at
 * most. It never rejects: any fault is a failed attempt.
 */
export async function postWebhook(
  options: PostWebhookOptions,
): Promise<WebhookAnswer & { readonly failure: WebhookFailure | undefined }> {
  const { url, trustedHosts, timeoutMs = attemptTimeoutMs } = options
  const began = performance.now()
  const answered = (responseCode: number | null, fault?: Fault) => {
    const durationMs = Math.round(performance.now() - began)
    const { error = null, failure } = fault ?? {}
    return { responseCode, error, durationMs, failure }
  }
  const fault = webhookUrlFault(url, { trustedHosts })
  if (fault !== undefined)
    return answered(null, { failure: 'url_refused', error: `The URL ${fault}` })
  const timeout = AbortSignal.timeout(timeoutMs)
  // Trusted hosts may be in the hosts file; production has none.
  const { dial, resolve = trustedHosts.length > 0 ? undefined : resolvePublic } = options
  const agent = new Agent({
    connect: guardedConnect({ trustedHosts, resolve, dial }),
    pipelining: 0,
  })
  let statusCode: number | null = null
  try {
    const answer = await within(timeout, send({ ...options, agent, timeout }))
    statusCode = answer.statusCode
    if (statusCode < 200 || statusCode > 299) {
      answer.body.on('error', () => undefined).destroy()
      return answered(statusCode, faultOf(statusCode))
    }
    await within(timeout, readAnswer(answer.body))
    return answered(statusCode)
  } catch (error) {
    return answered(statusCode, explain(error, { timeout, timeoutMs, url }))
  } finally {
    // Not awaited: a connection in progress would delay it beyond the time-out.
    agent.destroy().catch(() => undefined)
  }
}

async function send({
  url,
  headers,
  body,
  agent,
  timeout,
}: PostWebhookOptions & { agent: Agent; timeout: AbortSignal }) {
  return await request(url, {
    ...{ method: 'POST', headers, body },
    dispatcher: agent,
    signal: timeout,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Reads to the end, or to the limit of any response. */
async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<void> {
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes >= maxAnswerBytes) return
  }
}

/** Rejects at the time-out, even where the work ignores the signal. */
async function within<T>(timeout: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const stop = () => reject(timeout.reason)
  timeout.addEventListener('abort', stop)
  work.catch(() => undefined)
  try {
    return await Promise.race([work, over])
  } finally {
    timeout.removeEventListener('abort', stop)
  }
}

function faultOf(statusCode: number): Fault {
  const rule = 'The endpoint must answer with a 2xx status'
  const isRedirect = statusCode >= 300 && statusCode < 400
  const error = `${rule}. Got ${statusCode}${isRedirect ? '; redirects are not followed' : ''}`
  return { failure: 'answer_refused', error }
}

function explain(
  error: unknown,
  { timeout, timeoutMs, url }: { timeout: AbortSignal; timeoutMs: number; url: string },
): Fault {
  if (timeout.aborted) {
    const rule = `The endpoint must answer completely within ${timeoutMs / 1000} s`
    return { failure: 'timeout', error: `${rule}. Got no complete answer` }
  }
  if (error instanceof AddressRefused) return { failure: 'address_refused', error: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') {
    const got = `Got none for ${new URL(url).hostname}`
    return { failure: 'name_unknown', error: `The host must have a DNS entry. ${got}` }
  }
  const got = `Got ${code ?? 'no answer'}`
  return { failure: 'unreachable', error: `The endpoint must be reachable. ${got}` }
}
