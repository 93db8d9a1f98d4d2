import type { PlanLimits } from '../accounts/plans.ts'
import type { Fault } from '../errors.ts'
import type { Warning } from './lint/warning.ts'
import { isLengthRule } from './template.ts'
import { validateRequest } from './validate.ts'

/**
 * Validates a template's payload with its own defaults alone. An unlawful scene length is a fault,
 * because a stored film needs explicit ones. Any other fault may vanish with a request's variables,
 * so it is a warning.
 */
export function validateStored(
  payload: unknown,
  plan: PlanLimits,
  { trustedHosts = [] }: { trustedHosts?: readonly string[] } = {},
): { readonly faults: readonly Fault[]; readonly warnings: readonly Warning[] } {
  const validation = validateRequest({ payload }, plan, { trustedHosts, stored: true })
  if (!('faults' in validation)) return { faults: [], warnings: validation.resolution.warnings }
  const faults = validation.faults.filter(({ message }) => isLengthRule(message))
  const others = validation.faults.filter(({ message }) => !isLengthRule(message))
  return {
    faults: faults.map((fault) => ({ ...fault, field: `payload.${fault.field}` })),
    warnings: others.slice(0, maxTold).map(({ field, pointer, message }) => ({
      ...{ field, ...(pointer !== undefined && { pointer }) },
      code: 'unrenderable_defaults',
      message: `The template cannot be rendered with its default variables alone: ${message}`,
    })),
  }
}

const maxTold = 50
