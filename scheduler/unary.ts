import { createHash, timingSafeEqual } from 'node:crypto'
import { type handleUnaryCall, type Metadata, type sendUnaryData, status } from '@grpc/grpc-js'
import { FarmError } from '../core/errors.ts'
import { isDatabaseAway } from '../store/db/database.ts'
import type { SchedulerContext } from './context.ts'

/** One call. `isGone`: the node does not wait for the answer any more. */
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

/** Makes a handler a gRPC method: the node's token is checked first, errors become a status. */
export function unary<Request, Response>(
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
    if (!isAdmitted(context, call.metadata)) {
      return reply({ code: status.UNAUTHENTICATED, details: "The node's token must be right." })
    }
    const seen = {
      isGone: () => call.cancelled,
      onGone: (then: () => void) => void call.once('cancelled', then),
    }
    handle(context, call.request, seen).then(
      (response) => reply(null, response),
      (error: unknown) => refuse(context, { path: call.getPath(), error, reply }),
    )
  }
}

/** Tokens are compared by their hashes, so that the time taken says nothing about either. */
function isAdmitted({ nodeToken }: SchedulerContext, metadata: Metadata): boolean {
  if (nodeToken === undefined) return true
  const [given = ''] = metadata.get('authorization')
  return timingSafeEqual(sha256(given), sha256(`Bearer ${nodeToken}`))
}

function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest()
}

function refuse<Response>(
  { log }: SchedulerContext,
  { path, error, reply }: { path: string; error: unknown; reply: sendUnaryData<Response> },
): void {
  const answer = statusOf(error)
  if (answer === undefined) log.error({ err: error, path }, 'a call failed')
  reply(answer ?? { code: status.INTERNAL, details: 'The scheduler failed.' })
}

/** What the node may know of an error; undefined: only the log may. */
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
