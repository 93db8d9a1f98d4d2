import {
  type CallOptions,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import {
  type CompleteRequest,
  type DrainRequest,
  type FailRequest,
  type LeaseRequest,
  type LeaseResponse,
  NodeServiceClient,
  type RegisterRequest,
  type RegisterResponse,
  type RenewCertificateRequest,
  type RenewCertificateResponse,
  type RenewRequest,
  type RenewResponse,
} from '../../proto/gen/farm/v1/node.ts'
import type { TlsFiles } from '../../runtime/tls.ts'

/** A node's calls, each with a deadline. They reject with a gRPC ServiceError. */
export type SchedulerClient = {
  register(request: RegisterRequest): Promise<RegisterResponse>
  /** Long-polls for work; aborting the signal hangs up. */
  lease(request: LeaseRequest, signal: AbortSignal): Promise<LeaseResponse>
  renew(request: RenewRequest): Promise<RenewResponse>
  complete(request: CompleteRequest): Promise<unknown>
  fail(request: FailRequest): Promise<unknown>
  drain(request: DrainRequest): Promise<unknown>
  renewCertificate(request: RenewCertificateRequest): Promise<RenewCertificateResponse>
  close(): void
}

const callDeadlineMs = 10_000
/** Time that a long poll may take beyond its wait. */
const leaseGraceMs = 10_000

/**
 * Round robin: calls go to each scheduler in turn; an unreachable one is left out until it is back.
 */
const spread = { loadBalancingConfig: [{ round_robin: {} }] }

const channelOptions = {
  'grpc.service_config': JSON.stringify(spread),
  // Disables the lookup of a TXT record with another config.
  'grpc.service_config_disable_resolution': 1,
  // One connection per client, even with many clients in a process: a connection carries 100 calls.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': 1_000_000,
  'grpc.max_send_message_length': 1_000_000,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 5_000,
}

export function connectScheduler({
  address,
  token,
  tls,
}: {
  address: string
  token: string | undefined
  tls: TlsFiles | undefined
}): SchedulerClient {
  const channel = tls
    ? credentials.createSsl(tls.ca, tls.key, tls.cert)
    : credentials.createInsecure()
  const client = new NodeServiceClient(address, channel, channelOptions)
  const metadata = new Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)

  type Reply<Response> = (error: ServiceError | null, response: Response) => void
  type Method<Request, Response> = (
    request: Request,
    metadata: Metadata,
    options: Partial<CallOptions>,
    reply: Reply<Response>,
  ) => ClientUnaryCall

  const unary = <Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { deadlineMs = callDeadlineMs, signal }: { deadlineMs?: number; signal?: AbortSignal } = {},
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      const deadline = Date.now() + deadlineMs
      const call = method.call(client, request, metadata, { deadline }, (error, response) => {
        signal?.removeEventListener('abort', hangUp)
        if (error) reject(error)
        else resolve(response)
      })
      const hangUp = () => call.cancel()
      signal?.addEventListener('abort', hangUp, { once: true })
      if (signal?.aborted) hangUp()
    })

  return {
    register: (request) => unary(client.register, request),
    lease: (request, signal) =>
      unary(client.lease, request, { deadlineMs: request.waitMs + leaseGraceMs, signal }),
    renew: (request) => unary(client.renew, request),
    complete: (request) => unary(client.complete, request),
    fail: (request) => unary(client.fail, request),
    drain: (request) => unary(client.drain, request),
    renewCertificate: (request) => unary(client.renewCertificate, request),
    close: () => client.close(),
  }
}

export function statusOf(error: unknown): status | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') return error.code
  return undefined
}

/** Returns whether the scheduler refused for good, so that a retry cannot succeed. */
export function isFinal(error: unknown): boolean {
  switch (statusOf(error)) {
    case status.NOT_FOUND:
    case status.FAILED_PRECONDITION:
    case status.INVALID_ARGUMENT:
    case status.UNIMPLEMENTED:
    case status.PERMISSION_DENIED:
      return true
    default:
      return false
  }
}

/** Returns whether no scheduler answered, or none could reach its queue. */
export function isAway(error: unknown): boolean {
  const code = statusOf(error)
  return code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED
}
