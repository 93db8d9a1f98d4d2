import type { FastifyReply, FastifyRequest } from 'fastify'
import type { problemOf } from '../gateway/problem.ts'
import { nextStepOf } from './next-step.ts'

/** Errors of the gateway at the endpoint: hosts read JSON-RPC, not problem documents. */

export const parseErrorCode = -32_700
const invalidRequestCode = -32_600
const internalErrorCode = -32_603

type Problem = Pick<ReturnType<typeof problemOf>, 'status' | 'code' | 'detail'>

/** Returns a problem as an error that answers no particular message and says what to do next. */
export function rpcErrorOf(
  problem: Problem,
  code = problem.status < 500 ? invalidRequestCode : internalErrorCode,
) {
  const message = `${problem.code}: ${problem.detail}. ${nextStepOf(problem)}.`
  return { jsonrpc: '2.0', error: { code, message, data: problem }, id: null }
}

/**
 * Turns a problem document of the gateway into an error of JSON-RPC. A 401 stays as it is: its body is
 * the same at every route, and hosts read its header.
 */
export async function showAsRpc(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const type = String(reply.getHeader('content-type'))
  const isProblem = type.startsWith('application/problem+json') && reply.statusCode !== 401
  if (!isProblem || typeof payload !== 'string') return payload
  reply.type('application/json')
  return JSON.stringify(rpcErrorOf(JSON.parse(payload)))
}
