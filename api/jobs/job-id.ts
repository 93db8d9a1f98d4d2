import { FarmError } from '../../core/errors.ts'
import { IdParams, readUuid } from '../gateway/uuid.ts'

export const JobParams = IdParams
export const readJobId = readUuid

/** Gives the same answer for a missing job and for another account's. */
export function jobNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a job with this id. Got ${id}`)
}
