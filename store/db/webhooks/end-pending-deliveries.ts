import { sql } from 'kysely'

/** Reason of a delivery that was never sent. */
export const disabledReason = 'The endpoint was disabled'

/**
 * A `with` query that ends the pending deliveries of the endpoints in the `with` query `disabled`.
 *
 * It skips locked rows: they belong to attempts that end right now and wait for the endpoint's row
 * that we hold. Those deliveries end at their next turn (get-due-delivery.ts), even when the
 * endpoint is active again by then.
 */
export const endPendingOfDisabled = sql`ended as (
    update webhook_deliveries set status = 'failed', next_attempt_at = null,
      failed_reason = ${disabledReason}
    where id in (
      select id from webhook_deliveries
      where webhook_id in (select id from disabled) and status = 'pending'
      for update skip locked
    )
  )`
