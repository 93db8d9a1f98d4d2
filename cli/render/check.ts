import { type PlanName, plans } from '../../core/accounts/plans.ts'
import type { Resolution } from '../../core/project/resolve.ts'
import { validateRequest } from '../../core/project/validate.ts'
import { Failure } from '../failure.ts'
import type { RequestFile } from './project-file.ts'

/**
 * Validates the request as a farm would at its submission, without one.
 * @throws Failure with every fault
 */
export function checkRequest(
  request: RequestFile,
  { plan, trustedHosts = [] }: { plan: PlanName; trustedHosts?: readonly string[] },
): Resolution {
  const validation = validateRequest(request, plans[plan], { trustedHosts })
  if ('faults' in validation) throw invalid(validation.faults)
  return validation.resolution
}

/** Lists every fault, a line each. */
export function invalid(faults: readonly { field: string; message: string }[]): Failure {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new Failure(`the project has ${count}:`, { faults })
}
