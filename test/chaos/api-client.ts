import { setTimeout as sleep } from 'node:timers/promises'

/** An answer; undefined when none came, though the request may have been carried out. */
export type Answer =
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
  | undefined

export type ApiClient = {
  ask(
    method: string,
    path: string,
    options: { readonly key: string; readonly body?: unknown; readonly idempotencyKey?: string },
  ): Promise<Answer>
}

const timeoutMs = 15_000

/** Calls the apis in turn, each request once. */
export function createApiClient(addresses: readonly string[]): ApiClient {
  let turn = 0
  return {
    async ask(method, path, { key, body, idempotencyKey }) {
      turn += 1
      try {
        const reply = await fetch(`${addresses[turn % addresses.length]}${path}`, {
          method,
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            'x-api-key': key,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
      } catch {
        return undefined // the connection ended before the whole answer had come
      }
    },
  }
}

const askAgainMs = 700

/**
 * Repeats a request until `isIt` accepts the answer. Undefined: none was accepted by `deadline`
 * (Date).
 */
export async function askUntil(
  ask: () => Promise<Answer>,
  isIt: (answer: NonNullable<Answer>) => boolean,
  deadline: number,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer && isIt(answer)) return answer
    if (Date.now() > deadline) return undefined
    await sleep(askAgainMs)
  }
}

/** Answers whether the farm is only unable at the moment, and the request is not refused. */
export function mayPass({ status, body }: NonNullable<Answer>): boolean {
  const isInFlight = status === 409 && /still in progress/.test(String(body.detail))
  return status >= 500 || status === 429 || isInFlight
}
