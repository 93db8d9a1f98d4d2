import { errorCodes, type FarmError, type Fault } from '../core/errors.ts'
import type { PlanLimits } from '../core/plans.ts'
import { type Price, priceAtSubmission } from '../core/pricing.ts'
import { judgeRequest } from '../core/project/judge.ts'
import type { Resolution } from '../core/project/resolve.ts'
import type { RenderRequest } from '../core/project/schema/request.ts'
import { readJson } from './json-text.ts'
import { limitsOf } from './plan.ts'
import { type Extra, ProblemError } from './problem.ts'

export type Submission = {
  readonly request: RenderRequest
  readonly resolution: Resolution
  readonly price: Price
}

/**
 * What a body asks for, and what it costs under a plan. Pure.
 * @throws FarmError with every fault of the body.
 */
export function readSubmission(
  body: unknown,
  { plan, trustedHosts }: { plan: string; trustedHosts: readonly string[] },
): Submission {
  const limits = limitsOf(plan)
  const judgement = judgeRequest(readJson(body), limits, { trustedHosts })
  if ('faults' in judgement) throw refusal(judgement.faults, limits)
  const { request, resolution } = judgement
  return { request, resolution, price: priceAtSubmission(resolution.project, limits) }
}

/** Of several kinds of faults, the answer's status is that of the gravest: shape before meaning. */
export function refusal(
  faults: readonly Fault[],
  limits?: PlanLimits,
  extra: Extra = {},
): FarmError {
  const [first] = faults.toSorted((a, b) => errorCodes[a.code].http - errorCodes[b.code].http)
  const code = first?.code ?? 'invalid_request'
  const one = faults.length === 1 && first
  const message = one
    ? [first.field, first.message].filter((text) => text !== '').join(': ')
    : `The request has ${faults.length} errors; the first: ${faults[0]?.field}: ${faults[0]?.message}`
  const isLimited = faults.some((fault) => fault.code === 'plan_limit')
  return new ProblemError(code, message, {
    details: faults,
    extra: { ...extra, ...(isLimited && { planLimits: { ...limits } }) },
  })
}
