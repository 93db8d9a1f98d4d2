import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/** Credits that an account's new jobs may hold, of a row of `accounts`: none while its budget is spent. */
export const spendable: RawBuilder<number> = sql`
  (case when budget_spent_until > now() then 0 else credits_balance - credits_reserved end)`

/** Jobs cost more than an account may hold for them. */
export type Insufficient = {
  readonly outcome: 'insufficient'
  readonly creditsRequired: number
  readonly creditsAvailable: number
  /** Its operators' budget is the reason, until this time; null: its balance is. */
  readonly budgetSpentUntil: Date | null
}

export async function explainInsufficient(
  db: Db,
  { accountId, credits }: { readonly accountId: string; readonly credits: number },
): Promise<Insufficient> {
  const { available, until } = await db
    .selectFrom('accounts')
    .select([
      spendable.as('available'),
      sql<Date | null>`case when budget_spent_until > now() then budget_spent_until end`.as(
        'until',
      ),
    ])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const creditsAvailable = available
  return {
    outcome: 'insufficient',
    ...{ creditsRequired: credits, creditsAvailable, budgetSpentUntil: until },
  }
}
