import { type RawBuilder, sql } from 'kysely'
import { planShares, priorityWeights } from '../../../core/queue/shares.ts'

/** Shares of core/queue/shares.ts as rows: `plan, weight, guaranteed, burst, job_slots`. */
export function planShareRows(): RawBuilder<unknown> {
  const rows = Object.entries(planShares).map(
    ([plan, { weight, guaranteed, burst, jobSlots }]) =>
      sql`(${plan}::text, ${weight}::float8, ${guaranteed}::int, ${burst}::int, ${jobSlots}::int)`,
  )
  return sql`(values ${sql.join(rows)}) as plan_share (plan, weight, guaranteed, burst, job_slots)`
}

/** Weights of priorities as rows: `priority, weight`. */
export function priorityRows(): RawBuilder<unknown> {
  const rows = Object.entries(priorityWeights).map(
    ([priority, weight]) => sql`(${priority}::text, ${weight}::float8)`,
  )
  return sql`(values ${sql.join(rows)}) as priority_weight (priority, weight)`
}
