import { isPlanName, type PlanLimits, plans } from '../core/plans.ts'

/** Limits of an account's plan. @throws Error when the database names a plan that is none. */
export function limitsOf(plan: string): PlanLimits {
  if (!isPlanName(plan)) throw new Error(`An account's plan must be a known one. Got ${plan}`)
  return plans[plan]
}
