import { sql } from 'kysely'
import { disabledAfter } from '../../../core/webhooks/schedule.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import type { DeliveryAttempt } from '../schema.ts'
import { disabledReason, endPendingOfDisabled } from './end-pending-deliveries.ts'

type Ended = { readonly deliveryId: string; readonly attempt: DeliveryAttempt }

/**
 * Records that the receiver accepted: the delivery ends, and its endpoint's count of failures
 * restarts.
 */
export async function recordSuccess(db: Db, { deliveryId, attempt }: Ended): Promise<void> {
  await sql`
    with delivery as (
      update webhook_deliveries set status = 'succeeded', next_attempt_at = null,
        failed_reason = null, attempts = attempts || ${jsonb([attempt])}::jsonb
      where id = ${deliveryId} and status <> 'succeeded'
      returning webhook_id
    ), endpoint as (
      update webhooks set exhausted_in_row = 0
      from delivery where webhooks.id = delivery.webhook_id and exhausted_in_row <> 0
    )
    select pg_notify('webhook_deliveries', '') from delivery`.execute(db)
}

/**
 * Records a failed attempt that is followed by another after `delayMs` at the earliest. The relay
 * is notified that its place is free meanwhile. For a disabled endpoint the attempt is logged, and
 * none follows.
 */
export async function recordFailure(
  db: Db,
  { deliveryId, attempt, delayMs }: Ended & { readonly delayMs: number },
): Promise<void> {
  await sql`
    with delivery as (
      update webhook_deliveries set
        attempts = attempts || ${jsonb([attempt])}::jsonb,
        next_attempt_at = case when status = 'pending'
          then now() + make_interval(secs => ${delayMs / 1000}) end
      where id = ${deliveryId} and (status = 'pending' or not attempts @> ${jsonb([attempt])}::jsonb)
      returning id
    )
    select pg_notify('webhook_deliveries', '') from delivery`.execute(db)
}

/**
 * Records the last failed attempt: the delivery ends and its endpoint counts it. The twentieth in a
 * row disables the endpoint and ends all its pending deliveries.
 *
 * It is one statement, and only the one that moves a delivery out of `pending` counts it, so it
 * counts once under any concurrency. The endpoint's row serializes deliveries that end together. A
 * delivery that ended during the attempt, because its endpoint was disabled, is logged but not
 * counted.
 */
export async function recordExhaustion(db: Db, { deliveryId, attempt }: Ended): Promise<void> {
  await sql`
    with was as (
      select id, status from webhook_deliveries where id = ${deliveryId} for update
    ), logged as (
      update webhook_deliveries as d set
        status = case when was.status = 'pending' then 'failed' else was.status end,
        next_attempt_at = null,
        failed_reason = case when was.status = 'pending' then 'Every attempt failed'
          else d.failed_reason end,
        attempts = d.attempts || ${jsonb([attempt])}::jsonb
      from was where d.id = was.id
        and (was.status = 'pending' or not d.attempts @> ${jsonb([attempt])}::jsonb)
      returning d.webhook_id, was.status
    ), delivery as (
      select webhook_id from logged where status = 'pending'
    ), endpoint as (
      update webhooks set exhausted_in_row = exhausted_in_row + 1,
        status = case when exhausted_in_row + 1 >= ${disabledAfter} then 'disabled' else status end,
        disabled_at = case when exhausted_in_row + 1 >= ${disabledAfter} then now()
          else disabled_at end
      from delivery where webhooks.id = delivery.webhook_id and status = 'active'
      returning webhooks.id, status
    ), disabled as (select id from endpoint where status = 'disabled'),
    ${endPendingOfDisabled}
    select pg_notify('webhook_deliveries', '') from delivery`.execute(db)
}

/** Ends a delivery whose endpoint was disabled before its turn. */
export async function endDisabledDelivery(db: Db, deliveryId: string): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'failed', next_attempt_at = null,
      failed_reason = ${disabledReason}
    where id = ${deliveryId} and status = 'pending'`.execute(db)
}
