import { type Static, type TSchema, Type } from 'typebox'
import { compileCheck } from '../../core/project/check.ts'
import { pointerInto } from '../../core/project/pointers.ts'
import { makeReport } from '../../core/project/report.ts'
import { checkBounds } from '../../core/project/walk.ts'
import { toProblem } from '../jobs/submission.ts'
import { readJson } from './json-text.ts'
import type { Server } from './typed-server.ts'

/**
 * Creates a reader of one route's bodies, with the checks and messages of the render language.
 * `trustedHosts`: `host:port` that are exempt from the rules for URLs. The reader throws FarmError
 * with every fault of a body.
 */
export function bodyReader<T extends TSchema>(
  schema: T,
): (body: unknown, options?: { readonly trustedHosts?: readonly string[] }) => Static<T> {
  const check = compileCheck(schema)
  return (body, { trustedHosts = [] } = {}) => {
    const report = makeReport('invalid_request', 'invalid_value')
    const sent = readJson(body)
    if (checkBounds(sent, report)) check(sent, '', { stage: 'filled', report, trustedHosts })
    if (report.faults.length > 0) {
      const pointer = (field: string) => pointerInto(sent, field)
      throw toProblem(report.faults.map((fault) => ({ ...fault, pointer: pointer(fault.field) })))
    }
    return sent as Static<T>
  }
}

/** Answers whether a request came without a body. */
export function isBodyless(body: unknown): boolean {
  return !Buffer.isBuffer(body) || body.length === 0
}

const readNothing = bodyReader(
  Type.Object({}, { title: 'this request', additionalProperties: false }),
)

/** Refuses a body other than `{}` on routes that declare none: its properties would be ignored. */
export function refuseUnusedBodies(server: Server): void {
  server.addHook('preHandler', async ({ body, routeOptions: { config } }) => {
    if (config.body === undefined && !isBodyless(body)) readNothing(body)
  })
}
