/**
 * Verification for receivers of webhooks. One file without dependencies: Node 20 or newer, Deno,
 * Bun, workers and browsers, wherever there is Web Crypto.
 */

/** Common part of every delivery's body. */
type Envelope = {
  readonly jobId: string
  /** Time of the event, ISO 8601. */
  readonly timestamp: string
  /** Present only on deliveries of `POST /api/webhooks/{id}/test`. */
  readonly test?: true
}

export type RenderCompleted = Envelope & {
  readonly event: 'render.completed'
  readonly data: {
    readonly status: 'completed'
    readonly url: string
    readonly thumbnailUrl: string | null
    /** Seconds. */
    readonly duration: number
    /** Bytes. */
    readonly size: number
    readonly creditsCharged: number
    readonly templateId: string | null
  }
}

export type RenderFailed = Envelope & {
  readonly event: 'render.failed'
  readonly data: {
    readonly status: 'failed'
    readonly error: {
      readonly code: string
      readonly message: string
      readonly details: readonly {
        readonly field: string
        readonly pointer: string
        readonly code: string
        readonly message: string
      }[]
    }
    readonly creditsCharged: number
  }
}

/** The reason a request was refused; answer it with 400. Trust nothing in it. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

export type VerifiedWebhook = {
  /** Same on every attempt of a delivery: use it to drop duplicates. */
  readonly deliveryId: string | null
  /** Time at which this attempt was signed. */
  readonly signedAt: Date
  /** Body as text. */
  readonly text: string
  /** Parses the body. @throws SyntaxError when it is not JSON, which no event's is */
  read(): RenderCompleted | RenderFailed
}

/** A `Headers`, or the headers object of a Node server; the case of names is ignored. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>

const defaultToleranceSeconds = 5 * 60

/**
 * Resolves when a request was signed with the endpoint's secret less than five minutes ago (or ahead,
 * for clocks that disagree). During a rotation `X-Service-Signature` is made with one of the two
 * secrets and `webhook-signature` with both, so either secret is enough from the first attempt on.
 *
 * `body` must be the bytes as received: JSON that was parsed and serialised again can differ.
 * `secret`: as it was shown, `whsec_…`; after a rotation, the old and the new one. Signatures are
 * compared in constant time, by Web Crypto. `now`: Unix milliseconds.
 *
 * @throws WebhookRefused when the signature or its time is absent, malformed, wrong or too old.
 */
export async function verifyWebhook({
  headers,
  body,
  secret,
  toleranceSeconds = defaultToleranceSeconds,
  now = Date.now(),
}: {
  headers: WebhookHeaders
  body: Uint8Array | ArrayBuffer | string
  secret: string | readonly string[]
  toleranceSeconds?: number
  now?: number
}): Promise<VerifiedWebhook> {
  const timestamp = readHeader(headers, 'x-service-timestamp')
  if (timestamp === null || !/^[0-9]{1,12}$/.test(timestamp)) {
    throw new WebhookRefused('X-Service-Timestamp must be Unix seconds')
  }
  const signature = /^sha256=([0-9a-f]{64})$/.exec(readHeader(headers, 'x-service-signature') ?? '')
  if (!signature?.[1]) {
    throw new WebhookRefused('X-Service-Signature must be "sha256=" and 64 hex digits')
  }
  const age = Math.abs(now / 1000 - Number(timestamp))
  if (!(age <= toleranceSeconds)) {
    throw new WebhookRefused(`A signature must be at most ${toleranceSeconds} s old`)
  }
  const bytes = bytesOf(body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  const own = {
    keys: secrets.map((each) => encoded(each)),
    signatures: [fromHex(signature[1])],
    signed: joined(encoded(`${timestamp}.`), bytes),
  }
  const standard = standardSigning(headers, { timestamp, bytes, secrets })
  if (!(await isSigned(own)) && !(standard && (await isSigned(standard)))) {
    throw new WebhookRefused('X-Service-Signature must be made with the secret of the endpoint')
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return {
    deliveryId: readHeader(headers, 'x-service-delivery-id'),
    signedAt: new Date(Number(timestamp) * 1000),
    text,
    read: () => JSON.parse(text),
  }
}

/** Returns null when the header is absent or repeated. */
function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name)
  const value = found.length === 1 ? found[0]?.[1] : undefined
  return typeof value === 'string' ? value : null
}

type Signing = {
  readonly keys: readonly Uint8Array<ArrayBuffer>[]
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
  readonly signed: Uint8Array<ArrayBuffer>
}

/**
 * Reads `webhook-signature` of the same delivery and time. Undefined when it holds fewer than the
 * two signatures of a rotation; then `X-Service-Signature` alone decides.
 */
function standardSigning(
  headers: WebhookHeaders,
  {
    timestamp,
    bytes,
    secrets,
  }: { timestamp: string; bytes: Uint8Array; secrets: readonly string[] },
): Signing | undefined {
  const id = readHeader(headers, 'x-service-delivery-id')
  const isSame =
    id !== null &&
    readHeader(headers, 'webhook-id') === id &&
    readHeader(headers, 'webhook-timestamp') === timestamp
  const told = (readHeader(headers, 'webhook-signature') ?? '').split(' ').slice(0, maxSignatures)
  if (!isSame || told.length < 2) return undefined
  return {
    keys: secrets.flatMap((each) => fromBase64(each, 'whsec_')),
    signatures: told.flatMap((each) => fromBase64(each, 'v1,')),
    signed: joined(encoded(`${id}.${timestamp}.`), bytes),
  }
}

/** Most signatures that are read; the service sends at most two. */
const maxSignatures = 4

/** True where one of the signatures was made with one of the keys. */
async function isSigned({ keys, signatures, signed }: Signing): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const checks = keys.map(async (bytes) => {
    // An empty key would let anyone sign.
    if (bytes.length === 0) throw new TypeError('A secret must not be empty')
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
    return await Promise.all(
      signatures.map((each) => crypto.subtle.verify('HMAC', key, each, signed)),
    )
  })
  return (await Promise.all(checks)).flat().includes(true)
}

function bytesOf(body: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof body === 'string') return encoded(body)
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

const base64Shape = /^(?!$)([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Returns the bytes after a prefix; none when the text is anything else. */
function fromBase64(text: string, prefix: string): Uint8Array<ArrayBuffer>[] {
  const base64 = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !base64Shape.test(base64)) return []
  return [Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
