import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Happening, writeEnvelope } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'
import type { DeliveryStatus } from '../schema.ts'

/**
 * Orders a test event for one endpoint, once for each delivery `id`. Undefined: the endpoint does
 * not exist, or is disabled.
 */
export async function orderTestDelivery(
  db: Db,
  {
    accountId,
    webhookId,
    happening,
    id = randomUUID(),
  }: { accountId: string; webhookId: string; happening: Happening; id?: string },
): Promise<string | undefined> {
  const { event, jobId } = happening
  const { rows } = await sql<{ id: string }>`
    with written as (
      insert into webhook_deliveries
        (id, account_id, webhook_id, target, event, job_id, test, body)
      select ${id}, account_id, id, id::text, ${event}, ${jobId}, true, ${writeEnvelope(happening, true)}
      from webhooks
      where account_id = ${accountId} and id = ${webhookId} and status = 'active'
      ${wasOrdered}
      returning id
    )
    select id, pg_notify('webhook_deliveries', '') from written`.execute(db)
  return rows[0]?.id
}

/** A repeated order under the same id finds the delivery. */
const wasOrdered = sql`on conflict (id) do update set id = excluded.id`

export type Redelivery = {
  /** The new delivery; null when there is none, because it is pending or its endpoint disabled. */
  readonly id: string | null
  readonly status: DeliveryStatus
}

/**
 * Sends an ended delivery's bytes again, as a new delivery with attempts of its own, once for each
 * new `id`. Undefined: the account has no such delivery.
 */
export async function orderRedelivery(
  db: Db,
  {
    accountId,
    deliveryId,
    id = randomUUID(),
  }: { accountId: string; deliveryId: string; id?: string },
): Promise<Redelivery | undefined> {
  const { rows } = await sql<Redelivery>`
    with original as (
      select d.*, w.status is not distinct from 'disabled' as is_disabled
      from webhook_deliveries d left join webhooks w on w.id = d.webhook_id
      where d.account_id = ${accountId} and d.id = ${deliveryId}
    ), written as (
      insert into webhook_deliveries
        (id, account_id, webhook_id, url, target, event, job_id, test, body)
      select ${id}, account_id, webhook_id, url, target, event, job_id, test, body
      from original where status <> 'pending' and not is_disabled
      ${wasOrdered}
      returning id
    ), marked as (
      update webhook_deliveries d set redelivered_as = written.id from written
      where d.account_id = ${accountId} and d.id = ${deliveryId}
    ), told as (select pg_notify('webhook_deliveries', '') from written)
    select written.id, original.status
    from original left join written on true left join told on true`.execute(db)
  return rows[0]
}
