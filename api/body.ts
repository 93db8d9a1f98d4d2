import type { Static, TSchema } from 'typebox'
import { compileCheck } from '../core/project/check.ts'
import { makeReport } from '../core/project/report.ts'
import { checkBounds } from '../core/project/walk.ts'
import { readJson } from './json-text.ts'
import { refusal } from './submission.ts'

/**
 * A reader of one route's bodies, by the checker of the render language and in its words.
 * `trustedHosts`: `host:port` that are exempt from the rules for URLs.
 * The reader throws FarmError with every fault of a body.
 */
export function bodyReader<T extends TSchema>(
  schema: T,
): (body: unknown, options?: { readonly trustedHosts?: readonly string[] }) => Static<T> {
  const check = compileCheck(schema)
  return (body, { trustedHosts = [] } = {}) => {
    const report = makeReport('invalid_request')
    const sent = readJson(body)
    checkBounds(sent, report)
    if (report.faults.length === 0) check(sent, '', { stage: 'filled', report, trustedHosts })
    if (report.faults.length > 0) throw refusal(report.faults)
    return sent as Static<T>
  }
}
