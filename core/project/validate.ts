import type { PlanLimits } from '../accounts/plans.ts'
import type { Fault } from '../errors.ts'
import { isRecord } from './check.ts'
import { readRequest } from './read.ts'
import { type Resolution, type ResolveOptions, resolveRequest } from './resolve.ts'
import type { RenderRequest } from './schema/request.ts'

export type Validation =
  | { readonly request: RenderRequest; readonly resolution: Resolution }
  | { readonly faults: Fault[] }

/**
 * Validates a body's shape and meaning together. A fault of shape does not stop the checks of the
 * rest; where the shape is wrong, only that is reported.
 */
export function validateRequest(
  body: unknown,
  plan: PlanLimits,
  options: ResolveOptions = {},
): Validation {
  const read = readRequest(body, options)
  if (!('faults' in read)) {
    const resolution = resolveRequest(read.request, plan, options)
    return 'faults' in resolution ? resolution : { request: read.request, resolution }
  }
  const { faults } = read
  const rest = restOf(body, faults)
  const meaning = rest ? resolveRequest(rest, plan, options) : { faults: [] }
  if (!('faults' in meaning)) return { faults }
  const isReported = ({ field }: Fault) =>
    faults.some(
      (reported) =>
        field === reported.field ||
        field.startsWith(`${reported.field}.`) ||
        field.startsWith(`${reported.field}[`),
    )
  return { faults: [...faults, ...meaning.faults.filter((fault) => !isReported(fault))] }
}

/** Returns the part of a faulty body that can still be validated; nothing without its variables. */
function restOf(body: unknown, faults: readonly Fault[]): RenderRequest | undefined {
  const isUnread = faults.some(({ field }) => field === '' || /^variables\b/.test(field))
  if (isUnread || !isRecord(body)) return undefined
  const { payload, template, variables, overrides } = body
  if (!isRecord(payload) && typeof template !== 'string') return undefined
  return {
    ...(isRecord(payload) ? { payload } : { template }),
    ...(isRecord(variables) && { variables }),
    ...(isRecord(overrides) && { overrides }),
  } as RenderRequest
}
