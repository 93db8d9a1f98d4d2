import { type PlanName, plans } from '../../core/plans.ts'
import { readRequest } from '../../core/project/read.ts'
import { type Resolution, resolveRequest } from '../../core/project/resolve.ts'
import { Failure } from '../failure.ts'
import type { RequestFile } from './project-file.ts'

/**
 * What a farm would say of the request at its submission, without one.
 * @throws Failure with every fault
 */
export function checkRequest(
  request: RequestFile,
  { plan, trustedHosts = [] }: { plan: PlanName; trustedHosts?: readonly string[] },
): Resolution {
  const read = readRequest(request)
  if ('faults' in read) throw invalid(read.faults)
  const resolution = resolveRequest(read.request, plans[plan], { trustedHosts })
  if ('faults' in resolution) throw invalid(resolution.faults)
  return resolution
}

/** Every fault, a line each. */
export function invalid(faults: readonly { field: string; message: string }[]): Failure {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new Failure(`the project has ${count}:`, { faults })
}
