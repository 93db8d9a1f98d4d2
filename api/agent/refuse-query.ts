import { FarmError } from '../../core/errors.ts'

/** Name of a parameter. A longer one, or one with digits, may be a token without a name. */
const plainName = /^(?!svc_)[A-Za-z][A-Za-z_-]{0,31}$/

/**
 * Refuses parameters that the endpoint does not know, before a credential is asked for: whoever puts
 * a token there must learn that it belongs into a header, and the value is never shown.
 * @throws FarmError invalid_request
 */
export function refuseUnknownQuery(query: unknown, known: readonly string[]): void {
  const field = Object.keys(query as object).find((name) => !known.includes(name))
  if (field === undefined) return
  const rule =
    known.length === 0
      ? 'The endpoint takes no parameters'
      : `A parameter must be ${known.join(', ')}`
  if (!plainName.test(field)) throw new FarmError('invalid_request', `${rule}. Got another`)
  throw new FarmError('invalid_request', `${rule}. Got ${JSON.stringify(field)}`, { field })
}
