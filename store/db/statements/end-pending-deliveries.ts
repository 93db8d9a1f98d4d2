import { type RawBuilder, sql } from 'kysely'

/** What a delivery says for itself that was never sent, because its endpoint was disabled. */
export const disabledReason = 'The endpoint is disabled'

/**
 * A `with` query `ended`: ends what is pending of the endpoints in the `with` query named `source`.
 *
 * Rows that are being written right now are passed over instead of waited for: they belong to
 * attempts that end just now, whose statements wait for the endpoint's row that we hold. They find
 * the endpoint disabled when they come up next.
 */
export function endPendingOf(source: 'disabled'): RawBuilder<unknown> {
  return sql`ended as (
    update webhook_deliveries set status = 'failed', next_attempt_at = null,
      failed_reason = ${disabledReason}
    where id in (
      select id from webhook_deliveries
      where webhook_id in (select id from ${sql.ref(source)}) and status = 'pending'
      for update skip locked
    )
  )`
}
