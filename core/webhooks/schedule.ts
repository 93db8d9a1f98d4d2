/** Attempts of one delivery, the first included. */
export const maxAttempts = 5

/** From the end of a failed attempt to the next one, ms. Never shorter; scheduling may add to it. */
export const retryDelaysMs: readonly number[] = [30_000, 60_000, 120_000, 240_000]

/** For the whole of one exchange: look-up, connection, request, headers and body. */
export const attemptTimeoutMs = 10_000

/** More of an answer is not read. */
export const maxAnswerBytes = 65_536

/** So many deliveries in a row that used up their attempts disable an endpoint. */
export const disabledAfter = 20

/** How long a rotated secret goes on signing beside the new one. */
export const rotationHours = 24

/** The pause after `failed` failed attempts; undefined: there is no further attempt. */
export function retryDelay(failed: number, delays = retryDelaysMs): number | undefined {
  return failed < maxAttempts ? delays[failed - 1] : undefined
}
