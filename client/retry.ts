import type { FarmApiError } from './farm-api-error.ts'

const firstWaitMs = 500
const longestWaitMs = 8_000
/** Longest Retry-After that the client waits for; beyond it the caller decides. */
const longestRetryAfterSeconds = 120

/** Statuses of a transient failure, from the farm or a proxy before it. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Returns the delay before a retry, in ms; undefined when a retry would not help. `attempt`:
 * attempts so far, from 1. Delays double, are shortened at random so that clients do not retry in
 * step, and are at least what the farm asks for.
 */
export function waitBeforeRetry(error: FarmApiError, attempt: number): number | undefined {
  const { code, status, retryAfter } = error
  // The first of two equal requests is still in progress: the farm says when to retry.
  const isInFlight = status === 409 && retryAfter !== null
  if (code !== 'unreachable' && !passing.has(status) && !isInFlight) return undefined
  if (retryAfter !== null && retryAfter > longestRetryAfterSeconds) return undefined
  const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1))
  return Math.max((retryAfter ?? 0) * 1000, wait * (0.5 + Math.random() / 2))
}

/** Sleeps; rejects with the signal's reason as soon as it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    function end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
  })
}
