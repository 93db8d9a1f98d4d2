import { type RawBuilder, sql } from 'kysely'
import type { CreditKind } from '../../../core/accounts/credits.ts'
import type { Db } from '../database.ts'

export type CreditEntry = {
  readonly id: number
  readonly kind: CreditKind
  readonly jobId: string | null
  /** Bulk whose jobs the one hold covers. */
  readonly bulkId: string | null
  readonly balanceChange: number
  readonly reservedChange: number
  readonly note: string
  readonly createdAt: Date
}

export type BalancedEntry = CreditEntry & {
  /** Credits owned after the entry, whatever the filter leaves out. */
  readonly balance: number
}

export type CreditFilter = {
  readonly accountId: string
  readonly kind?: CreditKind | undefined
  /** Included; `to` is not. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

const columns = sql.raw(`id, kind, job_id as "jobId", bulk_id as "bulkId",
  balance_change as "balanceChange", reserved_change as "reservedChange", note,
  created_at as "createdAt"`)

/**
 * One page of an account's ledger, newest first, and the number of matching entries. `page` starts at 1.
 * Balances are counted back from the present one, over the entries that are newer than the page's last.
 */
export async function listCreditEntries(
  db: Db,
  { page, pageSize, ...filter }: CreditFilter & { page: number; pageSize: number },
): Promise<{ readonly entries: readonly BalancedEntry[]; readonly total: number }> {
  const matching = conditionOf(filter)
  const [entries, counted] = await Promise.all([
    sql<BalancedEntry>`
      with page as materialized (
        select ${columns} from credit_entries where ${matching}
        order by id desc limit ${pageSize} offset ${(page - 1) * pageSize}
      ), newer as (
        select id, sum(balance_change) over (order by id desc) - balance_change as change
        from credit_entries
        where account_id = ${filter.accountId} and id >= (select min(id) from page)
      )
      select page.*, ((
        select credits_balance from accounts where id = ${filter.accountId}
      ) - newer.change)::bigint as balance
      from page join newer using (id) order by id desc`.execute(db),
    sql<{ total: number }>`
      select count(*) as total from credit_entries where ${matching}`.execute(db),
  ])
  return { entries: entries.rows, total: counted.rows[0]?.total ?? 0 }
}

const entriesAtOnce = 1_000

/** Yields an account's whole ledger, newest first, a thousand entries at a time. */
export async function* allCreditEntries(
  db: Db,
  filter: CreditFilter,
): AsyncGenerator<readonly CreditEntry[]> {
  let before: number | undefined
  for (;;) {
    const older = before === undefined ? sql`` : sql`and id < ${before}`
    const { rows } = await sql<CreditEntry>`
      select ${columns} from credit_entries where ${conditionOf(filter)} ${older}
      order by id desc limit ${entriesAtOnce}`.execute(db)
    if (rows.length > 0) yield rows
    before = rows.at(-1)?.id
    if (before === undefined || rows.length < entriesAtOnce) return
  }
}

function conditionOf({ accountId, kind, from, to }: CreditFilter): RawBuilder<unknown> {
  const conditions = [
    sql`account_id = ${accountId}`,
    ...(kind ? [sql`kind = ${kind}`] : []),
    ...(from ? [sql`created_at >= ${from}`] : []),
    ...(to ? [sql`created_at < ${to}`] : []),
  ]
  return sql.join(conditions, sql` and `)
}
