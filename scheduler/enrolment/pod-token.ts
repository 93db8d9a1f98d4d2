import { readFile } from 'node:fs/promises'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import type { ClusterConfig } from './settings.ts'

/** A pod that has shown a token of its service account, which the cluster signed. */
export type Pod = {
  readonly uid: string
  readonly name: string
  readonly account: string
  readonly pool: string
}

/** Refusal of a token, with a sentence for the log and for the caller. */
export class TokenRefused extends Error {}

export const audience = 'farm-scheduler'
const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']
/** Clocks of cluster and farm differ by less, seconds. */
const skewSeconds = 30
const longestSeconds = 3_600
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Makes a verifier of projected service account tokens. It reads the keys again when they rotate. */
export function createPodTokens(cluster: ClusterConfig): (token: string) => Promise<Pod> {
  const keys = keysOf(cluster.jwks)
  const options = { issuer: cluster.issuer, audience, algorithms, clockTolerance: skewSeconds }
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
      throw refusalOf(error)
    })
    checkLife(payload)
    return podOf(payload, cluster)
  }
}

/** A stolen token of a year would be a key to the pool. @throws TokenRefused */
function checkLife({ iat, exp }: JWTPayload): void {
  if (iat !== undefined && exp !== undefined && exp - iat <= longestSeconds) return
  const rule = 'The service account token must last at most an hour (expirationSeconds).'
  throw new TokenRefused(rule)
}

/** A file is read at each verification: a mount that rotates is a new file. */
function keysOf(jwks: string): JWTVerifyGetKey {
  if (jwks.startsWith('https://')) return createRemoteJWKSet(new URL(jwks))
  return async (header, token) => {
    const keys = JSON.parse(await readFile(jwks, 'utf8')) as JSONWebKeySet
    return await createLocalJWKSet(keys)(header, token)
  }
}

/** @returns what the caller may read; a fault of the keys themselves stays the scheduler's */
function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) {
    return new TokenRefused('The service account token must not have expired.')
  }
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return new TokenRefused(`The service account token must be for the audience ${audience}.`)
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new TokenRefused(`The claim ${error.claim} of the service account token must be right.`)
  }
  const isToken =
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    // A token without a `kid`, which the cluster's have.
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported
  return isToken
    ? new TokenRefused('The service account token must be signed by the cluster.')
    : error
}

function podOf(payload: JWTPayload, { accounts }: ClusterConfig): Pod {
  const claims = record(payload['kubernetes.io'])
  const [pod, serviceAccount] = [record(claims.pod), record(claims.serviceaccount)]
  const { uid, name } = pod
  if (typeof uid !== 'string' || !uuid.test(uid) || typeof name !== 'string') {
    throw new TokenRefused('The service account token must be bound to a pod (projected).')
  }
  const account = `${claims.namespace}/${serviceAccount.name}`
  const pool = accounts.get(account)
  if (pool === undefined || payload.sub !== `system:serviceaccount:${account.replace('/', ':')}`) {
    throw new TokenRefused(
      `The service account must be one of FARM_ENROLMENT_ACCOUNTS. Got ${account.slice(0, 200)}`,
    )
  }
  return { uid, name, account, pool }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
