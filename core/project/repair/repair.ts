import type { PlanLimits } from '../../accounts/plans.ts'
import type { Fault } from '../../errors.ts'
import { isRecord } from '../check.ts'
import type { Warning } from '../lint/warning.ts'
import { makeReport } from '../report.ts'
import { RenderPayload } from '../schema/project.ts'
import { validateRequest } from '../validate.ts'
import { checkBounds } from '../walk.ts'
import { mendPairs } from './pairs.ts'
import type { Schema } from './schema.ts'
import { type Change, mend } from './walk.ts'

export type Repair = {
  readonly repaired: unknown
  readonly changes: readonly Change[]
  readonly valid: boolean
  readonly remainingErrors: readonly Fault[]
  readonly warnings: readonly Warning[]
}

/**
 * Returns a payload with its unambiguous faults repaired: numbers out of range, case and spelling,
 * quoted numbers and flags, swapped times, unknown properties. Deterministic; no content is
 * invented. A missing text or address stays an error, and so does a breach of the plan. A valid
 * payload, or a repaired one, comes back unchanged.
 */
export function repairPayload(
  payload: unknown,
  plan: PlanLimits,
  options: { readonly trustedHosts?: readonly string[] } = {},
): Repair {
  const before = validateRequest({ payload }, plan, options)
  if (!('faults' in before)) {
    const { warnings } = before.resolution
    return { repaired: payload, changes: [], valid: true, remainingErrors: [], warnings }
  }
  const changes: Change[] = []
  const isReadable = isRecord(payload) && checkBounds(payload, makeReport('invalid_request'))
  const mended = isReadable && mendAll(payload, (change) => changes.push(change))
  const repaired = changes.length > 0 ? mended : payload
  const after =
    changes.length === 0 ? before : validateRequest({ payload: repaired }, plan, options)
  if ('faults' in after) {
    return { repaired, changes, valid: false, remainingErrors: after.faults, warnings: [] }
  }
  const { warnings } = after.resolution
  return { repaired, changes, valid: true, remainingErrors: [], warnings }
}

function mendAll(payload: Record<string, unknown>, note: (change: Change) => void): unknown {
  const mended = mend(RenderPayload as Schema, structuredClone(payload), '', note)
  if (isRecord(mended)) mendPairs(mended, note)
  return mended
}
