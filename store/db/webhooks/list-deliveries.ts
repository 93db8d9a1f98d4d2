import { type RawBuilder, sql } from 'kysely'
import type { WebhookEvent } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'
import type { DeliveryAttempt, DeliveryStatus } from '../schema.ts'

export type DeliveryView = {
  readonly id: string
  readonly event: WebhookEvent
  readonly jobId: string
  readonly test: boolean
  readonly status: DeliveryStatus
  readonly failedReason: string | null
  readonly attempts: readonly DeliveryAttempt[]
  readonly createdAt: Date
  readonly nextAttemptAt: Date | null
  /** The endpoint's shown id; null: the job's own `webhookUrl`. */
  readonly webhookId: string | null
  readonly url: string
  /** Text that is sent, the same at each attempt. */
  readonly body: string
  /** Its workflow has been started, or is about to be. */
  readonly isOpen: boolean
  /** Deliveries to the same receiver that failed and wait for their next attempt. */
  readonly sleeping: number
}

export type DeliveriesPage = {
  readonly deliveries: readonly DeliveryView[]
  readonly total: number
}

type Page = { readonly accountId: string; readonly page: number; readonly pageSize: number }

/** One page of an endpoint's log, newest first, and its total. `page` starts at 1. */
export async function listDeliveries(
  db: Db,
  { webhookId, ...page }: Page & { readonly webhookId: string },
): Promise<DeliveriesPage> {
  return await readDeliveries(db, { ...page, condition: sql`d.webhook_id = ${webhookId}` })
}

/** One page of a job's deliveries: to endpoints, and to its own `webhookUrl`. */
export async function listDeliveriesOfJob(
  db: Db,
  { jobId, ...page }: Page & { readonly jobId: string },
): Promise<DeliveriesPage> {
  return await readDeliveries(db, { ...page, condition: sql`d.job_id = ${jobId}` })
}

/** Filters of deliveries; an absent one matches any. */
export type DeliveryFilter = {
  readonly status?: DeliveryStatus
  readonly event?: WebhookEvent
  readonly createdFrom?: Date
  readonly jobId?: string
  readonly webhookId?: string
}

/**
 * One page of an account's deliveries: to all endpoints, and to the `webhookUrl` of jobs. `after`: the page
 * begins behind this delivery, however many are written meanwhile.
 */
export async function listAllDeliveries(
  db: Db,
  {
    status,
    event,
    createdFrom,
    jobId,
    webhookId,
    after,
    ...page
  }: Page & DeliveryFilter & { readonly after?: string },
): Promise<DeliveriesPage> {
  const conditions = [
    sql`true`,
    ...(status === undefined ? [] : [sql`d.status = ${status}`]),
    ...(jobId === undefined ? [] : [sql`d.job_id = ${jobId}`]),
    ...(webhookId === undefined ? [] : [sql`d.webhook_id = ${webhookId}`]),
    ...(event === undefined ? [] : [sql`d.event = ${event}`]),
    ...(createdFrom === undefined ? [] : [sql`d.created_at >= ${createdFrom}`]),
  ]
  const condition = sql.join(conditions, sql` and `)
  const behind = after === undefined ? sql`true` : isBehind(after, page.accountId)
  return await readDeliveries(db, { ...page, condition, behind })
}

/** Condition: a delivery comes after this one of the account, in the order of the lists. */
function isBehind(id: string, accountId: string): RawBuilder<unknown> {
  const at = sql`(
    select created_at from webhook_deliveries where id = ${id} and account_id = ${accountId})`
  return sql`d.created_at <= ${at} and (d.created_at < ${at} or d.id > ${id})`
}

export async function hasDelivery(
  db: Db,
  { accountId, deliveryId }: { accountId: string; deliveryId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from webhook_deliveries
    where id = ${deliveryId} and account_id = ${accountId}`.execute(db)
  return rows.length > 0
}

async function readDeliveries(
  db: Db,
  {
    accountId,
    condition,
    behind = sql`true`,
    page,
    pageSize,
  }: Page & {
    readonly condition: RawBuilder<unknown>
    /** Cuts off earlier pages; they count in the total. */
    readonly behind?: RawBuilder<unknown>
  },
): Promise<DeliveriesPage> {
  const chosen = sql`d.account_id = ${accountId} and ${condition}`
  const [deliveries, counted] = await Promise.all([
    sql<DeliveryView>`
      select d.id, d.event, d.job_id as "jobId", d.test, d.status, d.failed_reason as "failedReason",
        d.attempts, d.created_at as "createdAt", d.next_attempt_at as "nextAttemptAt",
        case when w.id is not null then coalesce(w.public_id, w.id::text) end as "webhookId",
        coalesce(w.url, d.url) as url, d.body,
        d.started_at is not null or coalesce(d.claimed_until > now(), false) as "isOpen",
        case when d.status = 'pending' then (
          select count(*) from webhook_deliveries o
          where o.status = 'pending' and o.account_id = d.account_id and o.target = d.target
            and o.test = d.test and o.attempts <> '[]'
            and split_part(o.url, '?', 1) is not distinct from split_part(d.url, '?', 1)
        ) else 0 end as sleeping
      from webhook_deliveries d left join webhooks w on w.id = d.webhook_id
      where ${chosen} and ${behind} order by d.created_at desc, d.id
      limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(db),
    sql<{ total: number }>`
      select count(*) as total from webhook_deliveries d where ${chosen}`.execute(db),
  ])
  return { deliveries: deliveries.rows, total: counted.rows[0]?.total ?? 0 }
}
