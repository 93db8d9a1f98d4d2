import { FarmError } from '../../core/errors.ts'
import type { FarmAccess, Operation } from '../../operator/operation.ts'
import { operatorOperations } from '../../operator/operations.ts'
import { hashPassword } from '../account/password.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'

/** Reason for ending a read that nobody waits for any more. */
const hungUp = () =>
  new FarmError('invalid_request', 'A caller must wait for the answer. Got one that hung up')

const tagOf = (path: string) => path.split('/')[1] ?? ''

/**
 * Serves every operation of operators (operator/operations.ts) below /api/operator. A change writes one
 * act for each of its objects, with the operator's email.
 */
export function operatorRoutes(server: Server, context: GatewayContext): void {
  const { db, farmObjects, sealKeys, trustedHosts, prometheus, searchMs } = context
  const access: FarmAccess = {
    db,
    objects: () => farmObjects,
    sealKeys: () => sealKeys,
    trustedHosts: () => trustedHosts,
    hashPassword,
    prometheus: () => prometheus,
    searchMs,
  }
  // Each has checked its own input by the time it runs.
  for (const each of operatorOperations) serve(each as unknown as Operation<object, unknown>)

  function serve(operation: Operation<object, unknown>): void {
    const { id, method, path, role, summary, params, query, body, answer } = operation
    const readBody = body && bodyReader(body)
    server.route({
      method,
      url: `/api/operator${path}`,
      schema: {
        ...{ operationId: id, summary, description: summary, tags: [tagOf(path)] },
        ...{ params, querystring: query },
        response: {
          200: answer,
          400: Problem,
          404: Problem,
          422: Problem,
          ...(body && { 409: Problem }),
        },
      },
      config: { credentials: ['operator'], role, ...(body && { body }) },
      handler: async (request, reply) => {
        const given = readBody ? (readBody(request.body) as object) : {}
        const input = { ...(request.params as object), ...(request.query as object), ...given }
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort(hungUp()))
        // The caller may have hung up while its session was read.
        if (reply.raw.destroyed) gone.abort(hungUp())
        const signal = body ? {} : { signal: gone.signal }
        return await operation.run({ ...access, ...signal }, input, request.operator.email)
      },
    })
  }
}
