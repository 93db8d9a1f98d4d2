/** Upper bound of a delay, so that no answer names a time beyond a number's range. */
const mostMs = 3_600_000

/**
 * Reads the delay of a `Retry-After` header, ms: seconds or an HTTP date (RFC 9110, 10.2.3).
 * Undefined where it is absent or neither.
 */
export function retryAfterMs(value: unknown, now = Date.now()): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1000, mostMs)
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), mostMs)
}
