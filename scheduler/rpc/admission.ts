import { timingSafeEqual } from 'node:crypto'
import type { PeerCertificate } from 'node:tls'
import type { Metadata } from '@grpc/grpc-js'
import { nodeIdOf } from '../../core/fleet/node-identity.ts'
import { sha256, sha256Bytes } from '../../runtime/sha256.ts'
import type { Db } from '../../store/db/database.ts'
import { findCertificate, type KnownCertificate } from '../../store/db/fleet/find-certificate.ts'

/** A caller, as the connection and the call describe it. */
export type Caller = {
  /** Claimed by the caller itself. */
  readonly nodeId: string
  readonly metadata: Metadata
  /** Certificate proved by the handshake; undefined without TLS. */
  readonly certificate: PeerCertificate | undefined
}

/**
 * Answers why a caller is refused, for the log and not for the caller; undefined: it is admitted.
 */
export type Admission = (caller: Caller) => Promise<string | undefined>

/** Admits by a token that the nodes of one machine share, if there is one. */
export function admitByToken(token: string | undefined): Admission {
  const expected = token === undefined ? undefined : sha256Bytes(token)
  return async ({ metadata }) => {
    if (expected === undefined || isToken(metadata, expected)) return undefined
    return 'the token is wrong'
  }
}

/** Longest delay of a revocation; waiting long polls are refused at their next call. */
const rememberMs = 1_000
const rememberMost = 10_000

/**
 * Admits by mutual TLS. The handshake has proved that the certificate is valid and of our
 * authority. Here it must be known to the farm, not revoked, shown with its own token, and used by
 * its own node.
 */
export function admitByCertificate(db: Db): Admission {
  const remembered = new Map<string, { until: number; known: KnownCertificate | undefined }>()
  return async ({ nodeId, metadata, certificate }) => {
    if (certificate === undefined) return 'there is no certificate'
    const known = await find(sha256(certificate.raw))
    if (known === undefined) return 'the farm does not know the certificate'
    if (known.status !== 'valid') return `the certificate is ${known.status}`
    if (nodeIdOf(certificate.subjectaltname) !== known.nodeId) return 'it names another node'
    if (!isToken(metadata, Buffer.from(known.tokenHash, 'hex'))) return 'the token is wrong'
    return nodeId === known.nodeId ? undefined : `it speaks for ${nodeId}, which it is not`
  }

  async function find(fingerprint: string): Promise<KnownCertificate | undefined> {
    const now = performance.now()
    const before = remembered.get(fingerprint)
    if (before !== undefined && before.until > now) return before.known
    if (remembered.size >= rememberMost) remembered.clear()
    const known = await findCertificate(db, fingerprint)
    remembered.set(fingerprint, { until: now + rememberMs, known })
    return known
  }
}

const scheme = 'Bearer '

/** Compares hashes, so that the time taken reveals nothing about either token. */
function isToken(metadata: Metadata, expected: Buffer): boolean {
  const [given] = metadata.get('authorization')
  if (typeof given !== 'string' || !given.startsWith(scheme)) return false
  return timingSafeEqual(sha256Bytes(given.slice(scheme.length)), expected)
}
