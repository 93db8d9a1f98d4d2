import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import {
  EnrolmentServiceService,
  type EnrolRequest,
  type EnrolResponse,
} from '../../proto/gen/farm/v1/enrolment.ts'
import type { ListenAddress } from '../../runtime/env.ts'
import { requireTls13, type TlsFiles } from '../../runtime/tls.ts'
import type { SchedulerContext } from '../context.ts'
import { bindServer, closeServer } from '../grpc-server.ts'
import { RpcError, toStatus } from '../rpc/unary.ts'
import type { Enrolment } from './enrol.ts'

const limits = {
  'grpc.max_receive_message_length': 64_000,
  'grpc.max_concurrent_streams': 100,
  // Callers need a single answer.
  'grpc.max_connection_age_ms': 60_000,
  'grpc.max_connection_age_grace_ms': 10_000,
}

/**
 * Serves enrolment on a port of its own: its callers have no certificate yet, but the scheduler shows
 * its own. Resolves when calls are taken.
 */
export async function serveEnrolment(
  context: SchedulerContext,
  { enrolment, address, tls }: { enrolment: Enrolment; address: ListenAddress; tls: TlsFiles },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { log } = context
  const enrol = (
    call: ServerUnaryCall<EnrolRequest, EnrolResponse>,
    answer: sendUnaryData<EnrolResponse>,
  ) => {
    const seen = { peer: call.getPeer(), path: call.getPath() }
    enrolment.enrol(call.request).then(
      (response) => {
        const { nodeId: node, pool, expiresAt } = response
        log.info({ ...seen, node, pool, expiresAt }, 'a node enrolled')
        answer(null, response)
      },
      (error: unknown) => {
        if (error instanceof RpcError)
          log.warn({ ...seen, why: error.message }, 'a node was not enrolled')
        answer(toStatus(context, { path: seen.path, error }))
      },
    )
  }
  requireTls13()
  const server = new Server(limits)
  server.addService(EnrolmentServiceService, { enrol })
  const pair = { private_key: tls.key, cert_chain: tls.cert }
  const credentials = ServerCredentials.createSsl(null, [pair], false)
  const port = await bindServer(server, { ...address, credentials })
  return { port, stop: () => closeServer(server) }
}
