import type { FarmApiError } from './farm-api-error.ts'

const firstWaitMs = 500
const longestWaitMs = 8_000
/** A farm that wants to be left alone for longer is asked by whoever can wait so long. */
const longestRetryAfterSeconds = 120

/** Away for a moment, by the farm's own word or by that of a proxy before it. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * How long to wait before a request is sent again, in ms; undefined when that would not help.
 * `attempt`: how often it was sent, from 1. Waits double, are shortened by chance so that clients do
 * not come in step, and are never shorter than the farm asks for.
 */
export function waitBeforeRetry(error: FarmApiError, attempt: number): number | undefined {
  const { code, status, retryAfter } = error
  // The first of two equal requests is still being answered: the farm says when to come again.
  const isInFlight = status === 409 && retryAfter !== null
  if (code !== 'unreachable' && !passing.has(status) && !isInFlight) return undefined
  if (retryAfter !== null && retryAfter > longestRetryAfterSeconds) return undefined
  const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1))
  return Math.max((retryAfter ?? 0) * 1000, wait * (0.5 + Math.random() / 2))
}

/** Rejects with the signal's reason as soon as it says so. */
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
