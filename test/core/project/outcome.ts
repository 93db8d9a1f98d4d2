import { type PlanLimits, plans } from '../../../core/accounts/plans.ts'
import type { Fault } from '../../../core/errors.ts'
import { readRequest } from '../../../core/project/read.ts'
import { type Resolution, resolveRequest } from '../../../core/project/resolve.ts'

type Outcome = { readonly faults: readonly Fault[]; readonly resolution?: Resolution }

/** Reads and resolves a body as it would come over the wire. */
export function outcomeOf(body: unknown, plan: PlanLimits = plans.free): Outcome {
  const read = readRequest(JSON.parse(JSON.stringify(body)))
  if ('faults' in read) return read
  const resolved = resolveRequest(read.request, plan)
  return 'faults' in resolved ? resolved : { faults: [], resolution: resolved }
}

/** The resolution of a payload that must be valid. */
export function resolved(payload: object, more: object = {}, plan?: PlanLimits): Resolution {
  const { faults, resolution } = outcomeOf({ payload, ...more }, plan)
  if (!resolution) throw new Error(faults.map((f) => `${f.field}: ${f.message}`).join('\n'))
  return resolution
}

/** Faults of a payload, as `field: message`. */
export function faultsOf(payload: object, more: object = {}, plan?: PlanLimits): string[] {
  return outcomeOf({ payload, ...more }, plan).faults.map((f) => `${f.field}: ${f.message}`)
}

export const image = { type: 'IMAGE', src: 'https://cdn.example.com/a.png' }
export const words = { type: 'TEXT', text: 'Hello' }
