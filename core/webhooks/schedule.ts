/** Attempts of one delivery, the first included. */
export const maxAttempts = 5

/**
 * Delays from the end of a failed attempt to the next one, ms. Least values; scheduling may add to them.
 */
export const retryDelaysMs: readonly number[] = [30_000, 60_000, 120_000, 240_000]

/** Timeout of one whole exchange: look-up, connection, request, headers and body. */
export const attemptTimeoutMs = 10_000

/** Most bytes of a response that are read. */
export const maxAnswerBytes = 65_536

/** Consecutive exhausted deliveries that disable an endpoint. */
export const disabledAfter = 20

/** Hours that a rotated secret still signs beside the new one. */
export const rotationHours = 24

/** Returns the delay after `failed` failed attempts; undefined: there is no further attempt. */
export function retryDelay(failed: number, delays = retryDelaysMs): number | undefined {
  return failed < maxAttempts ? delays[failed - 1] : undefined
}
