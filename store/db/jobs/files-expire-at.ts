import { type RawBuilder, sql } from 'kysely'
import { planNames, plans } from '../../../core/accounts/plans.ts'
import type { FinalJobState } from '../../../core/jobs/jobs.ts'

/** A failed job has no file to keep; its leftovers stay for whoever investigates it. */
const leftoverDays = 1

/** Preview sheets are found again for a quarter of an hour, and may be fetched for a while longer. */
const previewHours = 1
export const previewExpiresAt = sql<Date>`now() + make_interval(hours => ${sql.lit(previewHours)})`

/**
 * Expiry of the files of a job that ends now, for an update of `jobs`. It is fixed now, so that a
 * change of plan shortens no promised retention.
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
