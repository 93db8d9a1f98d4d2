import { isPlanName, type PlanLimits, plans } from '../../core/accounts/plans.ts'

/**
 * Returns the limits of an account's plan. @throws Error when the database names an unknown plan.
 */
export function limitsOf(plan: string): PlanLimits {
  if (!isPlanName(plan)) throw new Error(`An account's plan must be a known one. Got ${plan}`)
  return plans[plan]
}
