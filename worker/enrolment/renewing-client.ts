import { status } from '@grpc/grpc-js'
import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { connectScheduler, type SchedulerClient, statusOf } from '../agent/scheduler-client.ts'
import { enrol, keepIdentity, type NodeIdentity } from './enrol.ts'
import type { EnrolmentConfig } from './settings.ts'

/** Interval at which the age of the certificate is looked at, and a failed renewal repeated. */
const lookMs = 60_000
/** Time for the calls of a replaced connection to end: the longest takes 25 s. */
const oldConnectionMs = 60_000

/**
 * Connects an enrolled node, and renews its certificate at half of its life: a pod by a fresh token
 * of its service account, a machine by the certificate that it has. New calls then use the new one.
 * A pod whose certificate the farm does not know any more enrols again at once.
 */
export function connectRenewing({
  address,
  config,
  identity: first,
  name,
  pool,
  log,
  onRenewed = () => undefined,
  everyMs = lookMs,
}: {
  address: string
  config: EnrolmentConfig
  identity: NodeIdentity
  name: string
  pool: string
  log: Log
  onRenewed?: (identity: NodeIdentity) => void
  everyMs?: number
}): SchedulerClient {
  let identity = first
  let isUnknown = false
  const connect = () => connectScheduler({ address, token: identity.token, tls: identity.tls })
  let client = connect()
  const retired = new Map<SchedulerClient, NodeJS.Timeout>()
  const renewal = repeat({
    everyMs,
    async run() {
      const { issuedAt, expiresAt } = identity
      if (!isUnknown && Date.now() < (issuedAt + expiresAt) / 2) return
      identity = await renew()
      isUnknown = false
      onRenewed(identity)
      const old = client
      client = connect()
      const timer = setTimeout(() => {
        retired.delete(old)
        old.close()
      }, oldConnectionMs)
      retired.set(old, timer.unref())
      log.info({ expiresAt: new Date(identity.expiresAt) }, 'the certificate was renewed')
    },
    onError: (error) => log.warn({ err: error }, 'the certificate could not be renewed'),
  })

  async function renew(): Promise<NodeIdentity> {
    const { nodeId, pool: bound } = identity
    if ('file' in config.token) return await enrol(config, { name, pool })
    const { createRequest } = await import('../../runtime/authority.ts')
    const { request, key } = await createRequest()
    const answer = await client.renewCertificate({ nodeId, certificateRequest: request })
    return await keepIdentity(config, { ...answer, nodeId, pool: bound, key })
  }

  /** A pod that was silent for an hour was forgotten with its certificate, and enrols again. */
  async function noticing<T>(call: (by: SchedulerClient) => Promise<T>): Promise<T> {
    const by = client
    return await call(by).catch((error: unknown) => {
      const isRefused = statusOf(error) === status.UNAUTHENTICATED
      // A late answer to the certificate before tells nothing of this one.
      isUnknown ||= isRefused && by === client && 'file' in config.token
      throw error
    })
  }

  return {
    register: (request) => noticing((by) => by.register(request)),
    lease: (request, signal) => noticing((by) => by.lease(request, signal)),
    renew: (request) => client.renew(request),
    complete: (request) => client.complete(request),
    fail: (request) => client.fail(request),
    drain: (request) => client.drain(request),
    renewCertificate: (request) => client.renewCertificate(request),
    close() {
      void renewal.stop()
      for (const [old, timer] of retired) {
        clearTimeout(timer)
        old.close()
      }
      client.close()
    },
  }
}
