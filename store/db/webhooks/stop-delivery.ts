import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Ends a pending delivery for good; its workflow finds out when it wakes. False: there is none. */
export async function stopDelivery(
  db: Db,
  { accountId, deliveryId }: { accountId: string; deliveryId: string },
): Promise<boolean> {
  const { rows } = await sql`
    with stopped as (
      update webhook_deliveries set status = 'failed', next_attempt_at = null,
        failed_reason = 'Stopped by an operator'
      where account_id = ${accountId} and id = ${deliveryId} and status = 'pending'
      returning id
    )
    select pg_notify('webhook_deliveries', '') from stopped`.execute(db)
  return rows.length > 0
}
