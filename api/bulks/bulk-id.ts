import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { derivedId } from '../gateway/derived-id.ts'

export const BulkParams = Type.Object({
  id: Type.String({ pattern: '^blk_[0-9A-Za-z]{20}$', title: '"blk_" and 20 letters or digits' }),
})

/** `seed`: a UUID; the same one gives the same bulk, however often it is submitted. */
export function bulkIdOf(seed: string): string {
  return `blk_${derivedId(seed)}`
}

/** Gives the same answer for a missing bulk and for another account's. */
export function bulkNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a bulk with this id. Got ${id}`)
}
