import { sql } from 'kysely'
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

/**
 * One page of an account's ledger, newest first, and the number of matching entries. `from` is
 * included, `to` is not. `page` starts at 1.
 */
export async function listCreditEntries(
  db: Db,
  {
    accountId,
    page,
    pageSize,
    kind,
    from,
    to,
  }: {
    accountId: string
    page: number
    pageSize: number
    kind?: CreditKind | undefined
    from?: Date | undefined
    to?: Date | undefined
  },
): Promise<{ readonly entries: readonly CreditEntry[]; readonly total: number }> {
  const conditions = [
    sql`account_id = ${accountId}`,
    ...(kind ? [sql`kind = ${kind}`] : []),
    ...(from ? [sql`created_at >= ${from}`] : []),
    ...(to ? [sql`created_at < ${to}`] : []),
  ]
  const matching = sql.join(conditions, sql` and `)
  const [entries, counted] = await Promise.all([
    sql<CreditEntry>`
      select id, kind, job_id as "jobId", bulk_id as "bulkId", balance_change as "balanceChange",
        reserved_change as "reservedChange", note, created_at as "createdAt"
      from credit_entries where ${matching}
      order by id desc limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(db),
    sql<{ total: number }>`
      select count(*) as total from credit_entries where ${matching}`.execute(db),
  ])
  return { entries: entries.rows, total: counted.rows[0]?.total ?? 0 }
}
