import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { invitationPrefix } from '../../core/fleet/node-identity.ts'
import {
  EnrolmentServiceService,
  type EnrolRequest,
  type EnrolResponse,
} from '../../proto/gen/farm/v1/enrolment.ts'
import type { ListenAddress } from '../../runtime/env.ts'
import { Gate, GateFull } from '../../runtime/gate.ts'
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
 * Strangers may call, and must leave connections of the database to the nodes that work. Pods and
 * machines have a bound each: a cluster whose keys do not come holds no machine up.
 */
const usualBounds = { atOnce: 2, waiting: 200 }

/**
 * Serves enrolment on a port of its own: its callers have no certificate yet, but the scheduler shows
 * its own. Resolves when calls are taken.
 */
export async function serveEnrolment(
  context: SchedulerContext,
  {
    enrolment,
    address,
    tls,
    bounds = usualBounds,
  }: {
    enrolment: Pick<Enrolment, 'enrol'>
    address: ListenAddress
    tls: TlsFiles
    bounds?: { readonly atOnce: number; readonly waiting: number }
  },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { log, metrics } = context
  const gateOf = () => new Gate(bounds.atOnce, bounds.waiting)
  const [machines, pods] = [gateOf(), gateOf()]
  const enrol = (
    call: ServerUnaryCall<EnrolRequest, EnrolResponse>,
    answer: sendUnaryData<EnrolResponse>,
  ) => {
    const began = performance.now()
    const reply: sendUnaryData<EnrolResponse> = (error, ...rest) => {
      const seconds = (performance.now() - began) / 1000
      metrics.called({ method: 'Enrol', code: status[error?.code ?? status.OK] ?? '', seconds })
      answer(error, ...rest)
    }
    const gate = call.request.token.startsWith(invitationPrefix) ? machines : pods
    const enrolled = gate.run(() => enrolment.enrol(call.request, () => call.cancelled))
    const seen = { peer: call.getPeer(), path: call.getPath() }
    enrolled.then(
      (response) => {
        const { nodeId: node, pool, expiresAt } = response
        log.info({ ...seen, node, pool, expiresAt }, 'a node enrolled')
        reply(null, response)
      },
      (error: unknown) => {
        if (error instanceof GateFull) {
          // Without a line in the log, which a stranger could fill.
          reply({ code: status.RESOURCE_EXHAUSTED, details: 'Too many nodes enrol. Ask again.' })
          return
        }
        if (error instanceof RpcError)
          log.warn({ ...seen, why: error.message }, 'a node was not enrolled')
        reply(toStatus(context, { path: seen.path, error }))
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
