import { type RawBuilder, sql } from 'kysely'
import type { FinalJobState } from '../../../core/jobs.ts'
import { planNames, plans } from '../../../core/plans.ts'

/** What failed has no file to keep; its leftovers stay for whoever looks into it. */
const leftoverDays = 1

/**
 * When the files of a job that ends now are to go, in an update of `jobs`. Settled then and not
 * later: a change of plan takes nothing away that was promised.
 */
export function filesExpireAt(state: FinalJobState): RawBuilder<Date> {
  const days = state === 'completed' ? daysOfPlan : sql`${sql.lit(leftoverDays)}`
  return sql<Date>`now() + make_interval(days => ${days})`
}

const cases = planNames.map(
  (name) => sql`when ${sql.lit(name)} then ${sql.lit(plans[name].retentionDays)}`,
)
const daysOfPlan = sql`(
  select case plan ${sql.join(cases, sql` `)} end from accounts where accounts.id = jobs.account_id
)`
