import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'

export const IdParams = Type.Object({ id: Type.String() })

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id from the path, in the form the database keeps. @throws FarmError invalid_request */
export function readUuid(id: string): string {
  if (uuidShape.test(id)) return id.toLowerCase()
  const message = `id must be a UUID. Got ${JSON.stringify(id.slice(0, 80))}`
  throw new FarmError('invalid_request', message, { field: 'id' })
}
