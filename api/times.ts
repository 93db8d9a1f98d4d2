import { FarmError } from '../core/errors.ts'

/** The database knows no year 0. */
const earliest = Date.parse('0001-01-01T00:00:00Z')

/**
 * A time from the query. @throws FarmError for what has the shape of one and is none, as the 31st of
 * February
 */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (time.getTime() >= earliest) return time
  const message = `${field} must be a time after the year 0. Got ${text}`
  throw new FarmError('invalid_request', message, { field })
}
