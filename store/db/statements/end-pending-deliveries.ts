import { sql } from 'kysely'

/** What a delivery says for itself that was not sent any more. */
export const disabledReason = 'The endpoint was disabled'

/**
 * A `with` query: ends what is pending of the endpoints in the `with` query `disabled`.
 *
 * Rows that are being written right now are passed over instead of waited for: they belong to
 * attempts that end just now, whose statements wait for the endpoint's row that we hold. They find
 * out when they come up next (get-due-delivery.ts), also when the endpoint is active again by then.
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
