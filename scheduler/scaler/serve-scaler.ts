import { Server } from '@grpc/grpc-js'
import { ExternalScalerService } from '../../proto/gen/externalscaler/externalscaler.ts'
import type { ListenAddress } from '../../runtime/env.ts'
import type { TlsFiles } from '../../runtime/tls.ts'
import { readBacklog } from '../../store/db/fleet/read-backlog.ts'
import type { SchedulerContext } from '../context.ts'
import { bindServer, closeServer, serverCredentials } from '../grpc-server.ts'
import { BacklogWatch } from './backlog-watch.ts'
import { createExternalScaler } from './external-scaler.ts'

const limits = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': 64_000,
  // KEDA keeps one connection for all pools, with a stream for each.
  'grpc.max_concurrent_streams': 1_000,
}

/** Pools that a farm may have; a scaler that names more an hour is not that of the farm. */
const usualPools = 1_000

/**
 * Serves KEDA's external scaler on a port of its own, whose callers see nothing else. With TLS they
 * show a certificate of `farm certs scaler`. Resolves when calls are taken.
 */
export async function serveScaler(
  context: SchedulerContext,
  {
    address,
    tls,
    mostPools = usualPools,
  }: { address: ListenAddress; tls: TlsFiles | undefined; mostPools?: number },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { db, log } = context
  const watch = new BacklogWatch({ read: () => readBacklog(db), log })
  const certified = tls !== undefined
  const { service, endStreams } = createExternalScaler(context, { watch, certified, mostPools })
  const server = new Server(limits)
  server.addService(ExternalScalerService, service)
  const port = await bindServer(server, { ...address, credentials: serverCredentials(tls) })
  const forget = context.onQueued(() => watch.wake())
  return {
    port,
    async stop() {
      forget()
      endStreams()
      await Promise.all([watch.stop(), closeServer(server)])
    },
  }
}
