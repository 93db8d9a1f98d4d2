import type { WebhookEvent } from './envelope.ts'

/** One attempt, as its headers describe it. */
export type Attempt = {
  readonly deliveryId: string
  readonly event: WebhookEvent
  readonly jobId: string
  /** Time of signing, Unix seconds. */
  readonly timestamp: number
  readonly body: string
}

/** Text that `X-Service-Signature` signs, with the secret's own characters as the key. */
export function signedText({ timestamp, body }: Attempt): string {
  return `${timestamp}.${body}`
}

/**
 * Text that `webhook-signature` signs (Standard Webhooks 1.0.0). The key is the bytes that the
 * secret holds in base64 after its prefix. https://www.standardwebhooks.com
 */
export function standardSignedText({
  deliveryId,
  timestamp,
  body,
}: Pick<Attempt, 'deliveryId' | 'timestamp' | 'body'>): string {
  return `${deliveryId}.${timestamp}.${body}`
}

export const secretPrefix = 'whsec_'

/** `own` in hex; `standard` in base64, one for each valid secret. */
export type Signatures = { readonly own: string; readonly standard: readonly string[] }

/** Headers of an attempt. A delivery without an endpoint's secret has no `signatures`. */
export function attemptHeaders(
  { deliveryId, event, jobId, timestamp }: Attempt,
  signatures?: Signatures,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'render-farm-webhooks/1',
    'X-Service-Event': event,
    'X-Service-Delivery-Id': deliveryId,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Job-Id': jobId,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    ...(signatures && {
      'X-Service-Signature': `sha256=${signatures.own}`,
      'webhook-signature': signatures.standard.map((each) => `v1,${each}`).join(' '),
    }),
  }
}
