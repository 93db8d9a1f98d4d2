import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type PendingOfReceiver = {
  /** Internal id of an endpoint, or the host of jobs' own callbacks. */
  readonly target: string
  readonly isCallback: boolean
  readonly pending: number
  /** Deliveries among them that failed and wait for their next attempt. */
  readonly failing: number
  readonly oldest: Date
}

/** Pending deliveries of an account, by receiver. */
export async function countPendingDeliveries(
  db: Db,
  accountId: string,
): Promise<readonly PendingOfReceiver[]> {
  const { rows } = await sql<PendingOfReceiver>`
    select target, webhook_id is null as "isCallback", count(*)::integer as pending,
      (count(*) filter (where attempts <> '[]'))::integer as failing, min(created_at) as oldest
    from webhook_deliveries where account_id = ${accountId} and status = 'pending'
    group by target, webhook_id is null order by pending desc, target`.execute(db)
  return rows
}
