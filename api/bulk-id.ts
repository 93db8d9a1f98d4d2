import { randomInt } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'

export const BulkParams = Type.Object({ id: Type.String() })

const shape = /^blk_[0-9A-Za-z]{20}$/
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const length = 20

export function newBulkId(): string {
  const random = Array.from({ length }, () => letters[randomInt(letters.length)])
  return `blk_${random.join('')}`
}

/** A bulk's id from the path. @throws FarmError invalid_request */
export function readBulkId(id: string): string {
  if (shape.test(id)) return id
  const rule = `id must be "blk_" and ${length} letters or digits.`
  const message = `${rule} Got ${JSON.stringify(id.slice(0, 80))}`
  throw new FarmError('invalid_request', message, { field: 'id' })
}

/** One answer for a bulk that is not there and for one of another account. */
export function bulkNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a bulk with this id. Got ${id}`)
}
