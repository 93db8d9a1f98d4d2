import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type FailedDeliveries = {
  readonly accountId: string
  readonly since: Date
  /** Absent: those of all receivers, also of the `webhookUrl` of jobs. */
  readonly webhookId?: string
}

/**
 * Sends failed deliveries of an account again, the oldest `limit` of them, each as a new delivery. One that
 * was sent again before is left out, and so are tests and those of disabled endpoints. `left`: how many of
 * the chosen ones remain.
 */
export async function redeliverFailed(
  db: Db,
  { limit, ...failed }: FailedDeliveries & { readonly limit: number },
): Promise<{ readonly queued: number; readonly left: number }> {
  const { rows } = await sql<{ queued: number }>`
    with chosen as materialized (
      select d.id, gen_random_uuid() as again ${from(failed)}
      order by d.created_at, d.id limit ${limit} for update of d
    ), written as (
      insert into webhook_deliveries
        (id, account_id, webhook_id, url, target, event, job_id, test, body)
      select c.again, d.account_id, d.webhook_id, d.url, d.target, d.event, d.job_id, d.test, d.body
      from chosen c join webhook_deliveries d on d.id = c.id
      returning id
    ), marked as (
      update webhook_deliveries d set redelivered_as = c.again from chosen c where d.id = c.id
    ), told as (select pg_notify('webhook_deliveries', '') from written limit 1)
    select (select count(*) from written)::integer as queued
    from (select 1) one left join told on true`.execute(db)
  return { queued: rows[0]?.queued ?? 0, left: await countFailed(db, failed) }
}

async function countFailed(db: Db, failed: FailedDeliveries): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*)::integer as left ${from(failed)}`.execute(db)
  return rows[0]?.left ?? 0
}

function from({ accountId, since, webhookId }: FailedDeliveries) {
  return sql`
    from webhook_deliveries d left join webhooks w on w.id = d.webhook_id
    where d.account_id = ${accountId} and d.status = 'failed' and d.redelivered_as is null
      and not d.test and d.created_at >= ${since} and w.status is distinct from 'disabled'
      ${webhookId === undefined ? sql`` : sql`and d.webhook_id = ${webhookId}`}`
}
