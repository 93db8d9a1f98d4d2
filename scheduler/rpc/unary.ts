import { type handleUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js'
import { FarmError } from '../../core/errors.ts'
import { isDatabaseAway } from '../../store/db/database.ts'
import type { SchedulerContext } from '../context.ts'
import type { Caller } from './admission.ts'

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
    const path = call.getPath()
    const caller = {
      ...{ nodeId: call.request.nodeId, metadata: call.metadata },
      certificate: call.getAuthContext().sslPeerCertificate,
    }
    admit(context, caller, { peer: call.getPeer(), path })
      .then(() => handle(context, call.request, seen))
      .then(
        (response) => reply(null, response),
        (error: unknown) => reply(toStatus(context, { path, error })),
      )
  }
}

/** @throws RpcError without the reason, which only the log has */
export async function admit(
  { admission, log }: SchedulerContext,
  caller: Caller,
  call: { readonly peer: string; readonly path: string },
): Promise<void> {
  const why = await admission(caller)
  if (why === undefined) return
  log.warn({ ...call, why }, 'a caller was not let in')
  throw new RpcError(status.UNAUTHENTICATED, "The node's credentials must be right.")
}

/** Returns the status that a failed call answers; what the caller may not read goes to the log. */
export function toStatus(
  { log }: SchedulerContext,
  { path, error }: { path: string; error: unknown },
): { code: status; details: string } {
  const answer = statusOf(error)
  if (answer === undefined) log.error({ err: error, path }, 'a call failed')
  return answer ?? { code: status.INTERNAL, details: 'The scheduler failed.' }
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
