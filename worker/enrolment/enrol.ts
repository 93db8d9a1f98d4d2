import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  EnrolmentServiceClient,
  type EnrolRequest,
  type EnrolResponse,
} from '../../proto/gen/farm/v1/enrolment.ts'
import type { Log } from '../../runtime/log.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { TlsFiles } from '../../runtime/tls.ts'
import { isFinal, statusOf } from '../agent/scheduler-client.ts'
import type { EnrolmentConfig } from './settings.ts'

/** Certificate and token that a node shows to schedulers. */
export type NodeIdentity = {
  readonly nodeId: string
  /** Pool that binds the node, whatever its offers say. */
  readonly pool: string
  readonly tls: TlsFiles
  readonly token: string
  /** Milliseconds of the clock. */
  readonly issuedAt: number
  readonly expiresAt: number
}

const deadlineMs = 10_000
const firstPauseMs = 2_000
const longestPauseMs = 60_000
/** A kept identity must be good for this long, so that it can be renewed. */
const leastLeftMs = 10 * 60_000
const file = 'identity.json'

/**
 * Enrols the node, or takes the identity that a machine kept for its invitation and pool. Retries until
 * a scheduler answers. @throws Error with the sentence of a refusal
 */
export async function openIdentity(
  config: EnrolmentConfig,
  {
    name,
    pool,
    log,
    pause = sleep,
  }: { name: string; pool: string; log: Log; pause?: (ms: number) => Promise<unknown> },
): Promise<NodeIdentity> {
  const kept = await readKept(config, { pool, log })
  if (kept !== undefined) return kept
  for (let failures = 1; ; failures += 1) {
    try {
      const identity = await enrol(config, { name, pool })
      log.info({ node: identity.nodeId, expiresAt: new Date(identity.expiresAt) }, 'enrolled')
      return identity
    } catch (error) {
      const refused = isFinal(error) || statusOf(error) === status.UNAUTHENTICATED
      if (refused)
        throw new Error(`The node was not enrolled: ${detailsOf(error)}`, { cause: error })
      log.warn({ why: detailsOf(error) }, 'the node could not be enrolled; retrying')
    }
    await pause(pauseMs(failures))
  }
}

/** Milliseconds until the next try. Up to half of them are left to chance: a fleet must not call at once. */
function pauseMs(failures: number): number {
  const most = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
  return (most / 2) * (1 + Math.random())
}

/** Enrols once. @throws ServiceError */
export async function enrol(
  config: EnrolmentConfig,
  { name, pool }: { name: string; pool: string },
): Promise<NodeIdentity> {
  const { createRequest } = await import('../../runtime/authority.ts')
  const { request, key } = await createRequest()
  const token = 'file' in config.token ? await readToken(config.token.file) : config.token.text
  const answer = await call(config, { token, certificateRequest: request, name, pool })
  return await keepIdentity(config, { ...answer, key })
}

/** Makes an identity of an answer, and keeps it where the node is a machine. */
export async function keepIdentity(
  config: EnrolmentConfig,
  answer: Pick<Kept, 'nodeId' | 'pool' | 'certificate' | 'token' | 'expiresAt' | 'key'>,
): Promise<NodeIdentity> {
  const { nodeId, pool, certificate, key, token } = answer
  const [issuedAt, expiresAt] = [Date.now(), 1000 * answer.expiresAt]
  const identity = { nodeId, pool, certificate, key, token, issuedAt, expiresAt }
  if ('text' in config.token) {
    const kept: Kept = { ...identity, invitation: sha256(config.token.text) }
    await mkdir(config.dir, { recursive: true, mode: 0o700 })
    const path = join(config.dir, file)
    await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600, flush: true })
    await rename(`${path}.new`, path)
  }
  return identityOf(config, identity)
}

const Kept = Type.Object({
  nodeId: Type.String(),
  pool: Type.String(),
  certificate: Type.String(),
  key: Type.String(),
  token: Type.String(),
  issuedAt: Type.Number(),
  expiresAt: Type.Number(),
  /** Hex sha256 of its token. */
  invitation: Type.String(),
})
type Kept = Static<typeof Kept>

/** Returns the kept identity while it is good, unless the machine has another invitation or pool now. */
async function readKept(
  config: EnrolmentConfig,
  { pool, log }: { pool: string; log: Log },
): Promise<NodeIdentity | undefined> {
  if (!('text' in config.token)) return undefined
  const path = join(config.dir, file)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const kept = parse(text)
  if (!Value.Check(Kept, kept)) {
    log.warn({ path }, 'the kept identity cannot be read; the node enrols anew')
    return undefined
  }
  const isOther =
    kept.invitation !== sha256(config.token.text) || (pool !== '' && pool !== kept.pool)
  return !isOther && kept.expiresAt - Date.now() > leastLeftMs
    ? identityOf(config, kept)
    : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function identityOf({ ca }: EnrolmentConfig, kept: Omit<Kept, 'invitation'>): NodeIdentity {
  const { nodeId, pool, token, issuedAt, expiresAt } = kept
  const tls = { ca, cert: Buffer.from(kept.certificate), key: Buffer.from(kept.key) }
  return { nodeId, pool, token, issuedAt, expiresAt, tls }
}

async function readToken(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim()
}

function call({ address, ca }: EnrolmentConfig, request: EnrolRequest): Promise<EnrolResponse> {
  const client = new EnrolmentServiceClient(address, credentials.createSsl(ca))
  return new Promise<EnrolResponse>((resolve, reject) => {
    const deadline = Date.now() + deadlineMs
    client.enrol(request, new Metadata(), { deadline }, (error, answer) => {
      client.close()
      if (error) reject(error)
      else resolve(answer)
    })
  })
}

function detailsOf(error: unknown): string {
  const { details, message } = error as ServiceError
  return details || message
}
