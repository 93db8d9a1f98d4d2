import {
  type handleUnaryCall,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { FarmError } from '../../core/errors.ts'
import { isDatabaseAway } from '../../store/db/database.ts'
import type { SchedulerContext } from '../context.ts'

/** One call. `isGone`: the node no longer waits for the answer. */
export type Call = { readonly isGone: () => boolean; readonly onGone: (then: () => void) => void }

export type Handler<Request, Response> = (
  context: SchedulerContext,
  request: Request,
  call: Call,
) => Promise<Response>

/** A refusal that the node may read. */
export class RpcError extends Error {
  readonly code: status

  constructor(code: status, message: string) {
    super(message)
    this.name = 'RpcError'
    this.code = code
  }
}

/** Wraps a handler as a gRPC method: admits the caller first, and maps errors to a status. */
export function unary<Request extends { readonly nodeId: string }, Response>(
  context: SchedulerContext,
  handle: Handler<Request, Response>,
): handleUnaryCall<Request, Response> {
  return (call, answer) => {
    const began = performance.now()
    const method = call.getPath().split('/').at(-1) ?? ''
    const reply: sendUnaryData<Response> = (error, ...rest) => {
      const code = status[error?.code ?? status.OK]
      context.metrics.called({ method, code, seconds: (performance.now() - began) / 1000 })
      answer(error, ...rest)
    }
    const seen = {
      isGone: () => call.cancelled,
      onGone: (then: () => void) => void call.once('cancelled', then),
    }
    admit(context, call)
      .then(() => handle(context, call.request, seen))
      .then(
        (response) => reply(null, response),
        (error: unknown) => refuse(context, { path: call.getPath(), error, reply }),
      )
  }
}

/** @throws RpcError without the reason, which only the log has */
async function admit<Request extends { readonly nodeId: string }, Response>(
  { admission, log }: SchedulerContext,
  call: ServerUnaryCall<Request, Response>,
): Promise<void> {
  const { nodeId } = call.request
  const certificate = call.getAuthContext().sslPeerCertificate
  const why = await admission({ nodeId, metadata: call.metadata, certificate })
  if (why === undefined) return
  log.warn({ peer: call.getPeer(), path: call.getPath(), why }, 'a caller was not let in')
  throw new RpcError(status.UNAUTHENTICATED, "The node's credentials must be right.")
}

function refuse<Response>(
  { log }: SchedulerContext,
  { path, error, reply }: { path: string; error: unknown; reply: sendUnaryData<Response> },
): void {
  const answer = statusOf(error)
  if (answer === undefined) log.error({ err: error, path }, 'a call failed')
  reply(answer ?? { code: status.INTERNAL, details: 'The scheduler failed.' })
}

/** Status that the node may read; undefined: the error goes to the log only. */
function statusOf(error: unknown): { code: status; details: string } | undefined {
  if (error instanceof RpcError) return { code: error.code, details: error.message }
  if (error instanceof FarmError && error.code === 'invalid_request') {
    return { code: status.INVALID_ARGUMENT, details: error.message }
  }
  if (isDatabaseAway(error)) {
    return { code: status.UNAVAILABLE, details: 'The queue cannot be reached. Ask again.' }
  }
  return undefined
}
