import { FarmError } from '../core/errors.ts'

/** The database knows no year 0, and RFC 3339 none after 9999. */
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** True for a time that the database, and every reader of an answer, can hold. */
export function isWithinYears(time: Date): boolean {
  return time.getTime() >= earliest && time.getTime() <= latest
}

/** Reads a time of the query. @throws FarmError for an impossible one, such as a leap second */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  if (isWithinYears(time)) return time
  const message = `${field} must be a time of the years 1 to 9999. Got ${text}`
  throw new FarmError('invalid_value', message, { field })
}
