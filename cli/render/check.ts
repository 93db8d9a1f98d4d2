import { type PlanName, plans } from '../../core/plans.ts'
import { judgeRequest } from '../../core/project/judge.ts'
import type { Resolution } from '../../core/project/resolve.ts'
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
  const judgement = judgeRequest(request, plans[plan], { trustedHosts })
  if ('faults' in judgement) throw invalid(judgement.faults)
  return judgement.resolution
}

/** Lists every fault, a line each. */
export function invalid(faults: readonly { field: string; message: string }[]): Failure {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return new Failure(`the project has ${count}:`, { faults })
}
