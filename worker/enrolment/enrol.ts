import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import {
  EnrolmentServiceClient,
  type EnrolRequest,
  type EnrolResponse,
} from '../../proto/gen/farm/v1/enrolment.ts'
import type { Log } from '../../runtime/log.ts'
import type { TlsFiles } from '../../runtime/tls.ts'
import { isFinal, statusOf } from '../agent/scheduler-client.ts'
import type { EnrolmentConfig } from './settings.ts'

/** What a node shows to schedulers. */
export type NodeIdentity = {
  readonly nodeId: string
  readonly tls: TlsFiles
  readonly token: string
  /** Milliseconds of the clock. */
  readonly issuedAt: number
  readonly expiresAt: number
}

const deadlineMs = 10_000
const retryMs = 2_000
/** A kept identity must be good for this long, so that it can be renewed. */
const leastLeftMs = 10 * 60_000
const file = 'identity.json'

/** Enrols the node, or takes the identity that a machine kept. Retries until a scheduler answers. */
export async function openIdentity(
  config: EnrolmentConfig,
  { name, pool, log }: { name: string; pool: string; log: Log },
): Promise<NodeIdentity> {
  const kept = await readKept(config)
  if (kept !== undefined) return kept
  for (;;) {
    try {
      const identity = await enrol(config, { name, pool })
      log.info({ node: identity.nodeId, expiresAt: new Date(identity.expiresAt) }, 'enrolled')
      return identity
    } catch (error) {
      const refused = isFinal(error) || statusOf(error) === status.UNAUTHENTICATED
      if (refused)
        throw new Error(`The node was not enrolled: ${detailsOf(error)}`, { cause: error })
      log.warn({ why: detailsOf(error) }, 'the node could not be enrolled; retrying')
      await sleep(retryMs)
    }
  }
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
  answer: { nodeId: string; certificate: string; token: string; expiresAt: number; key: string },
): Promise<NodeIdentity> {
  const { nodeId, certificate, token, expiresAt, key } = answer
  const kept = {
    nodeId,
    certificate,
    key,
    token,
    issuedAt: Date.now(),
    expiresAt: 1000 * expiresAt,
  }
  if ('text' in config.token) {
    await mkdir(config.dir, { recursive: true, mode: 0o700 })
    const path = join(config.dir, file)
    await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  return identityOf(config, kept)
}

type Kept = {
  readonly nodeId: string
  readonly certificate: string
  readonly key: string
  readonly token: string
  readonly issuedAt: number
  readonly expiresAt: number
}

async function readKept(config: EnrolmentConfig): Promise<NodeIdentity | undefined> {
  if (!('text' in config.token)) return undefined
  const text = await readFile(join(config.dir, file), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const kept = JSON.parse(text) as Kept
  return kept.expiresAt - Date.now() > leastLeftMs ? identityOf(config, kept) : undefined
}

function identityOf({ ca }: EnrolmentConfig, kept: Kept): NodeIdentity {
  const { nodeId, token, issuedAt, expiresAt } = kept
  const tls = { ca, cert: Buffer.from(kept.certificate), key: Buffer.from(kept.key) }
  return { nodeId, token, issuedAt, expiresAt, tls }
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
