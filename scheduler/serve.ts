import { Server } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { type NodeServiceServer, NodeServiceService } from '../proto/gen/farm/v1/node.ts'
import type { TlsFiles } from '../runtime/tls.ts'
import type { SchedulerContext } from './context.ts'
import { bindServer, closeServer, serverCredentials } from './grpc-server.ts'
import { startSweep } from './queue/sweep.ts'
import { complete } from './rpc/complete.ts'
import { drain } from './rpc/drain.ts'
import { fail } from './rpc/fail.ts'
import { lease } from './rpc/lease.ts'
import { createReflection, guardReflection } from './rpc/reflection.ts'
import { register } from './rpc/register.ts'
import { renew } from './rpc/renew.ts'
import { renewCertificate } from './rpc/renew-certificate.ts'
import { unary } from './rpc/unary.ts'

const serviceName = 'farm.v1.NodeService'
/** Age at which nodes reconnect, so that added schedulers get their share. */
const connectionAgeMs = 5 * 60_000
/** Time for calls on an aged connection: more than the longest poll takes. */
const connectionAgeGraceMs = 30_000

const limits = {
  'grpc.max_connection_age_grace_ms': connectionAgeGraceMs,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': 1_000_000,
  'grpc.max_send_message_length': 1_000_000,
  'grpc.max_concurrent_streams': 100,
}

/** Serves NodeService, grpc.health.v1 and reflection, and sweeps leases. Resolves when calls are taken. */
export async function serve(
  context: SchedulerContext,
  {
    host,
    port,
    tls,
    nodeAuthority,
    ageMs = connectionAgeMs,
  }: {
    host: string
    port: number
    tls?: TlsFiles | undefined
    /** Authority of enrolled nodes, PEM, which other ports do not trust. */
    nodeAuthority?: Buffer | undefined
    ageMs?: number
  },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const service: NodeServiceServer = {
    register: unary(context, register),
    lease: unary(context, lease),
    renew: unary(context, renew),
    complete: unary(context, complete),
    fail: unary(context, fail),
    drain: unary(context, drain),
    renewCertificate: unary(context, renewCertificate),
  }
  const health = new HealthImplementation({ '': 'SERVING', [serviceName]: 'SERVING' })
  const server = new Server({
    ...{ ...limits, 'grpc.max_connection_age_ms': ageMs },
    interceptors: [guardReflection(context)],
  })
  server.addService(NodeServiceService, service)
  health.addToServer(server)
  createReflection().addToServer(server)
  const credentials = serverCredentials(withAuthority(tls, nodeAuthority))
  const bound = await bindServer(server, { host, port, credentials })
  // The service name reports readiness, '' liveness: a process is not to be killed for its
  // database.
  const stopSweep = startSweep(context, (isThere) => {
    if (!context.waiters.isClosed)
      health.setStatus(serviceName, isThere ? 'SERVING' : 'NOT_SERVING')
  })
  return {
    port: bound,
    async stop() {
      context.waiters.close()
      health.setStatus('', 'NOT_SERVING')
      health.setStatus(serviceName, 'NOT_SERVING')
      await Promise.all([stopSweep(), closeServer(server)])
    },
  }
}

/** Nodes show certificates of the farm's authority, or of the one of enrolled nodes. */
function withAuthority(
  tls: TlsFiles | undefined,
  authority: Buffer | undefined,
): TlsFiles | undefined {
  if (tls === undefined || authority === undefined) return tls
  return { ...tls, ca: Buffer.concat([tls.ca, Buffer.from('\n'), authority]) }
}
