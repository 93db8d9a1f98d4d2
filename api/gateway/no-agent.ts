import type { FastifyRequest } from 'fastify'
import { FarmError } from '../../core/errors.ts'
import type { Db } from '../../store/db/database.ts'
import { unknownToken, whyNotAccepted } from '../oauth/ended-token.ts'

const bearerShape = /^Bearer(?: (.*))?$/i
const tokenShape = /^[\w.-]{1,2000}$/
const signIn = 'Sign in as the header WWW-Authenticate says'

/**
 * Says why the endpoint for agents knows no caller. The holder of a token learns how it ended, and no
 * other learns anything: a key, and a credential in the wrong header, are told by their shape alone.
 */
export async function noAgent({ db }: { db: Db }, request: FastifyRequest): Promise<FarmError> {
  return new FarmError('unauthorized', await reasonOf(db, request))
}

async function reasonOf(db: Db, { headers }: FastifyRequest): Promise<string> {
  const { authorization } = headers
  if (headers['x-api-key'] !== undefined) {
    const rule = 'The API key in the header X-Api-Key is not valid'
    const or = 'ask the person for another'
    return authorization === undefined
      ? `${rule}. Leave the header out and ${signIn.replace('S', 's')}, or ${or}`
      : `${rule}. Leave the header out to use the token, or ${or}`
  }
  if (authorization === undefined) {
    const rule =
      'A valid access token as Authorization: Bearer, or an API key in the header X-Api-Key, must be given'
    return `${rule}. Got none. ${signIn}, or ask the person for an API key`
  }
  return faultOfShape(authorization) ?? (await whyNotAccepted(db, tokenOf(authorization) ?? ''))
}

function tokenOf(authorization: string): string | undefined {
  return bearerShape.exec(authorization)?.[1]?.trim()
}

/** Undefined: it may be an access token. */
function faultOfShape(authorization: string): string | undefined {
  if (!bearerShape.test(authorization)) {
    return `The scheme of the header Authorization must be Bearer. Got another. ${signIn}`
  }
  const token = tokenOf(authorization) ?? ''
  if (token === '') {
    return `A token must follow Bearer in the header Authorization. Got none. ${signIn}`
  }
  if (token.startsWith('svc_')) {
    return 'An API key belongs into the header X-Api-Key. Got one as Authorization: Bearer. Send it in that header'
  }
  if (token.split('.').length === 3) {
    return `The token must be an access token. Got one of the dashboard, which is not taken here. ${signIn}`
  }
  return tokenShape.test(token) ? undefined : unknownToken
}
