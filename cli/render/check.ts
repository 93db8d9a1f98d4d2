import type { Fault } from '../../core/errors.ts'
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
  const verdict = judgeRequest(request, { plan, trustedHosts })
  if ('faults' in verdict) throw invalid(verdict.faults)
  return verdict
}

/** The same as data. */
export function judgeRequest(
  request: RequestFile,
  { plan, trustedHosts = [] }: { plan: PlanName; trustedHosts?: readonly string[] },
): Resolution | { faults: Fault[] } {
  const read = readRequest(request, { trustedHosts })
  return 'faults' in read ? read : resolveRequest(read.request, plans[plan], { trustedHosts })
}

/** Every fault, a line each. */
export function invalid(faults: readonly { field: string; message: string }[]): Failure {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new Failure(`the project has ${count}:`, { faults })
}
