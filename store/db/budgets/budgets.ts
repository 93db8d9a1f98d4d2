import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type BudgetView = {
  readonly accountId: string
  readonly account: string
  /** Credits of a calendar month, UTC. */
  readonly credits: number
  /** New jobs are refused once it is spent. */
  readonly stops: boolean
  /** Charged this month, and held for open jobs. */
  readonly spent: number
  readonly madeBy: string
  readonly createdAt: Date
}

/** Sets the budget of an account in place of an earlier one, which it may have spent already. */
export async function setBudget(
  db: Db,
  budget: {
    readonly accountId: string
    readonly credits: number
    readonly stops: boolean
    readonly madeBy: string
  },
): Promise<void> {
  const { accountId, credits, stops, madeBy } = budget
  await sql`
    insert into budgets (account_id, credits, stops, made_by)
    values (${accountId}, ${credits}, ${stops}, ${madeBy})
    on conflict (account_id) do update set credits = excluded.credits, stops = excluded.stops,
      made_by = excluded.made_by, created_at = now()`.execute(db)
  await keepBudget(db, accountId)
}

/** @returns whether there was one */
export async function removeBudget(db: Db, accountId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from budgets where account_id = ${accountId}`.execute(db)
  await keepBudget(db, accountId)
  return numAffectedRows === 1n
}

/** Lists budgets, those with the largest spent share first; or the one of this account. */
export async function listBudgets(
  db: Db,
  { accountId }: { readonly accountId?: string } = {},
): Promise<readonly BudgetView[]> {
  const { rows } = await sql<BudgetView>`
    select b.account_id as "accountId", a.name as account, b.credits, b.stops, spent.credits as spent,
      b.made_by as "madeBy", b.created_at as "createdAt"
    from budgets b join accounts a on a.id = b.account_id cross join lateral ${spent}
    where ${accountId === undefined ? sql`a.closed_at is null` : sql`a.id = ${accountId}`}
    order by spent.credits::float8 / b.credits desc, a.id`.execute(db)
  return rows
}

/**
 * Makes accounts whose stopping budget is spent refuse new jobs until the month's end, and others take
 * them again.
 */
export async function keepBudgets(db: Db, budgets: readonly BudgetView[]): Promise<void> {
  const over = budgets.filter(({ stops, spent, credits }) => stops && spent >= credits)
  const ids = over.map(({ accountId }) => accountId)
  await sql`
    update accounts set budget_spent_until = ${monthsEnd}
    where id = any(${ids}::uuid[]) and budget_spent_until is distinct from ${monthsEnd}`.execute(db)
  await sql`
    update accounts set budget_spent_until = null
    where budget_spent_until is not null and id <> all(${ids}::uuid[])`.execute(db)
}

/** The same for one account, after its budget has changed. */
async function keepBudget(db: Db, accountId: string): Promise<void> {
  const [budget] = await listBudgets(db, { accountId })
  const isSpent = budget?.stops === true && budget.spent >= budget.credits
  await sql`
    update accounts set budget_spent_until = case when ${isSpent} then ${monthsEnd} end
    where id = ${accountId}`.execute(db)
}

/** Beginning of this month, UTC. */
const monthsBegin = sql`(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')`
const monthsEnd = sql`((date_trunc('month', now() at time zone 'UTC') + interval '1 month')
  at time zone 'UTC')`

/** Credits that the account `a` was charged this month, and those held for its open jobs. */
const spent = sql`(
  select (a.credits_reserved - coalesce(sum(e.balance_change), 0))::bigint as credits
  from credit_entries e
  where e.account_id = a.id and e.kind = 'capture' and e.created_at >= ${monthsBegin}
) as spent`
