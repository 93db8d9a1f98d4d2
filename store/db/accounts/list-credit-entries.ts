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
): Promise<{ readonly entries: readonly CreditEntry[]; readonly total: number }> {
  const matching = conditionOf(filter)
  const [entries, counted] = await Promise.all([
    withBalances(filter.accountId, {
      page: sql`select ${columns} from credit_entries where ${matching}
        order by id desc limit ${pageSize} offset ${(page - 1) * pageSize}`,
    }).execute(db),
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
  let before: Start | undefined
  for (;;) {
    const older = before ? sql`and id < ${before.id}` : sql``
    const { rows } = await withBalances(filter.accountId, {
      page: sql`select ${columns} from credit_entries where ${conditionOf(filter)} ${older}
        order by id desc limit ${entriesAtOnce}`,
      before,
    }).execute(db)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < entriesAtOnce) return
    before = { id: last.id, balance: last.balance - last.balanceChange }
  }
}

/** Entry from which balances are counted back, and the credits owned before it. */
type Start = { readonly id: number; readonly balance: number }

/** Adds to the entries of `page` their balances, counted back from `before` or else from the present. */
function withBalances(
  accountId: string,
  { page, before }: { page: RawBuilder<unknown>; before?: Start | undefined },
): RawBuilder<CreditEntry> {
  const [newest, older] = before
    ? [sql`${before.balance}::bigint`, sql`and id < ${before.id}`]
    : [sql`(select credits_balance from accounts where id = ${accountId})`, sql``]
  return sql<CreditEntry>`
    with page as materialized (${page}), newer as (
      select id, sum(balance_change) over (order by id desc) - balance_change as change
      from credit_entries
      where account_id = ${accountId} and id >= (select min(id) from page) ${older}
    )
    select page.*, (${newest} - newer.change)::bigint as balance
    from page join newer using (id) order by id desc`
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
