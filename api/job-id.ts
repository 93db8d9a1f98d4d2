import { FarmError } from '../core/errors.ts'
import { IdParams, readUuid } from './uuid.ts'

export const JobParams = IdParams
export const readJobId = readUuid

/** One answer for a job that is not there and for one of another account. */
export function jobNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a job with this id. Got ${id}`)
}
