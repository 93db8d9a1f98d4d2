import type { Fault } from '../errors.ts'
import { compileCheck, isRecord } from './check.ts'
import { locatedAt, type PayloadAt } from './pointers.ts'
import { makeReport } from './report.ts'
import { RenderRequest } from './schema/request.ts'
import { checkBounds } from './walk.ts'

const checkRequest = compileCheck(RenderRequest)

/**
 * Reads a render request as sent and validates its shape. Placeholders pass for any value; a URL
 * without one must follow the URL rule. `trustedHosts`: `host:port` that are exempt from it. All faults
 * come in one pass, except that a body out of bounds (depth, number of properties) is not read at all.
 *
 * A fault's `field` is a path in the project (`scenes[0].visuals[2].src`, the project being
 * `payload`), or beside it (`overrides.width`, `jobId`).
 */
export function readRequest(
  body: unknown,
  {
    trustedHosts = [],
    payloadAt,
  }: { trustedHosts?: readonly string[]; payloadAt?: PayloadAt | undefined } = {},
): { request: RenderRequest } | { faults: Fault[] } {
  const report = makeReport('invalid_request')
  if (!isRecord(body)) {
    report.add('', 'The body must be a JSON object with `payload` or `template`.')
    return { faults: report.faults }
  }
  if (checkBounds(body, report)) checkRequest(body, '', { stage: 'sent', report, trustedHosts })
  if (report.faults.length === 0) return { request: body as RenderRequest }
  return { faults: report.faults.map((fault) => locatedAt(fault, body, payloadAt)) }
}
