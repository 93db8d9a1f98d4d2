import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'

export const JobParams = Type.Object({ id: Type.String() })

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A job's id from the path, in the form the database keeps. */
export function readJobId(id: string): string {
  if (uuidShape.test(id)) return id.toLowerCase()
  throw new FarmError(
    'invalid_request',
    `id must be a UUID. Got ${JSON.stringify(id.slice(0, 80))}`,
    {
      field: 'id',
    },
  )
}

/** One answer for a job that is not there and for one of another account. */
export function jobNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a job with this id. Got ${id}`)
}
