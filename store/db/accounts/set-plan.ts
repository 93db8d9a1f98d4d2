import { sql } from 'kysely'
import type { PlanName } from '../../../core/accounts/plans.ts'
import type { Db } from '../database.ts'

/** Changes an account's plan from its next request on. False: there is no such account. */
export async function setPlan(
  db: Db,
  { accountId, plan }: { accountId: string; plan: PlanName },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update accounts set plan = ${plan} where id = ${accountId}`.execute(db)
  return numAffectedRows === 1n
}
