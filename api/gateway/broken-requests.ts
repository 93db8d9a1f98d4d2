import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { FarmError } from '../../core/errors.ts'
import { badAddressRecord, brokenRecord } from '../access-log/access-log.ts'
import type { GatewayContext } from '../context.ts'
import { answerBadAddress, problemOf } from './problem.ts'

/** Errors of Node's parser before there is a request, by their code. */
const refusals: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers must have at most 16 KB. Got more' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: 'A request must arrive in time. Got only a part of it',
  },
}
const notHttp = { status: 400, message: 'The request must be HTTP/1.1. Got something else' }

/**
 * Answers a request that could not be parsed with a problem document like any other fault, and
 * hangs up.
 */
export function answerBrokenRequest(context: Pick<GatewayContext, 'log' | 'accessRecords'>) {
  return (error: Error & { code?: string }, socket: Socket): void => answer(error, socket, context)
}

/** Answers and records a request whose address cannot be read, which no hook sees. */
export function answerUnreadableAddress({
  log,
  accessRecords,
}: Pick<GatewayContext, 'log' | 'accessRecords'>): typeof answerBadAddress {
  return (error, request, reply) => {
    const record = badAddressRecord(request)
    const { requestId, method, status, remote } = record
    log.info({ requestId, method, status, remote, code: error.code }, 'unreadable address')
    accessRecords?.add(record)
    answerBadAddress(error, request, reply)
  }
}

function answer(
  error: Error & { code?: string },
  socket: Socket,
  { log, accessRecords }: Pick<GatewayContext, 'log' | 'accessRecords'>,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { status, message } = refusals[error.code ?? ''] ?? notHttp
  const requestId = randomUUID()
  const remote = socket.remoteAddress
  log.info({ requestId, status, remote, code: error.code }, 'broken request')
  accessRecords?.add(brokenRecord({ requestId, status, remote }))
  const problem = { ...problemOf(new FarmError('invalid_request', message)), status, requestId }
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
