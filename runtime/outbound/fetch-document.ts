import { Agent, request } from 'undici'
import { webhookUrlFault } from '../../core/project/media-url.ts'
import { type Dial, guardedConnect, type Resolve } from './guarded-connect.ts'
import { createPublicResolve } from './resolve-public.ts'

const resolvePublic = createPublicResolve()

export type FetchDocumentOptions = {
  /** `host:port` that are exempt from the URL rule and from the address checks. */
  readonly trustedHosts: readonly string[]
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Replaced in tests only, which must not touch a network. */
  readonly resolve?: Resolve | undefined
  readonly dial?: Dial | undefined
}

export type FetchedDocument = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Fetches a small document that a stranger names, through the guard of webhooks and media. Redirects
 * are not followed.
 * @throws Error with a sentence about the fault
 */
export async function fetchDocument(
  url: string,
  { trustedHosts, timeoutMs, maxBytes, resolve, dial }: FetchDocumentOptions,
): Promise<FetchedDocument> {
  const fault = webhookUrlFault(url, { trustedHosts })
  if (fault !== undefined) throw new Error(`The address ${fault}`)
  const timeout = AbortSignal.timeout(timeoutMs)
  const agent = new Agent({
    connect: guardedConnect({
      trustedHosts,
      resolve: resolve ?? (trustedHosts.length > 0 ? undefined : resolvePublic),
      dial,
    }),
    pipelining: 0,
  })
  try {
    return await Promise.race([
      read(url, { agent, timeout, maxBytes }),
      rejectAt(timeout, `The document must arrive within ${timeoutMs / 1000} s. Got none in time`),
    ])
  } finally {
    // Not awaited: a connection in progress would delay it beyond the time-out.
    agent.destroy().catch(() => undefined)
  }
}

async function read(
  url: string,
  { agent, timeout, maxBytes }: { agent: Agent; timeout: AbortSignal; maxBytes: number },
): Promise<FetchedDocument> {
  const { statusCode, headers, body } = await request(url, {
    dispatcher: agent,
    signal: timeout,
    headers: { accept: 'application/json' },
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new Error(`The document must have at most ${maxBytes} bytes. Got more`)
    }
    chunks.push(chunk)
  }
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
  return { status: statusCode, headers: Object.fromEntries(texts), body: Buffer.concat(chunks) }
}

/** Rejects at the time-out, even where the work ignores the signal. */
async function rejectAt(timeout: AbortSignal, message: string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  timeout.addEventListener('abort', () => reject(new Error(message)), { once: true })
  return await promise
}
