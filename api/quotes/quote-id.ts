import { timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { type SealKeys, tagOf } from '../../runtime/seal.ts'
import { derivedId } from '../gateway/derived-id.ts'

const shape = '^qt_[A-Za-z0-9]{20}$'

export const QuoteId = Type.String({ pattern: shape })
export const QuoteParams = Type.Object({
  id: Type.String({ pattern: shape, title: '"qt_" and 20 letters or digits' }),
})

const nameLength = 12

/** `seed`: a UUID; the same one gives the same quote. The last eight letters sign those before. */
export function quoteIdOf(seed: string, keys: SealKeys): string {
  const name = derivedId(seed).slice(0, nameLength)
  return `qt_${name}${signatureOf(name, keys)}`
}

/** Answers whether this farm made the id; guesses never reach the database. */
export function isQuoteId(id: string, keys: SealKeys): boolean {
  const [name, signature] = [id.slice(3, 3 + nameLength), id.slice(3 + nameLength)]
  return keys.some((key) => {
    const wanted = Buffer.from(signatureOf(name, [key]))
    return wanted.length === signature.length && timingSafeEqual(wanted, Buffer.from(signature))
  })
}

function signatureOf(name: string, keys: SealKeys): string {
  return derivedId(tagOf(keys, `quote ${name}`).toString('hex')).slice(0, 8)
}

/** Gives the same answer for a missing quote and for another account's. */
export function quoteNotFound(id: string): FarmError {
  const rule = 'The account must have a quote with this id, not older than a day'
  return new FarmError('not_found', `${rule}. Got ${id}; ask for a new quote`)
}
