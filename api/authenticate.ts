import type { FastifyRequest } from 'fastify'
import { FarmError } from '../core/errors.ts'
import { hashKey } from '../store/db/statements/create-key.ts'
import { findKey } from '../store/db/statements/find-key.ts'
import type { ApiContext } from './context.ts'

const keyShape = /^svc_[0-9a-fA-F]{64}$/

/**
 * Finds the account of the key in `x-api-key`, before any body is read. A missing, malformed,
 * unknown or revoked key gets the same answer.
 */
export function authenticate({ db }: ApiContext): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const key = request.headers['x-api-key']
    const holder =
      typeof key === 'string' && keyShape.test(key) ? await findKey(db, hashKey(key)) : undefined
    if (holder === undefined) {
      throw new FarmError(
        'unauthorized',
        'A valid API key must be given in the header x-api-key. Got none, or one that is not valid',
      )
    }
    request.account = holder
  }
}
