import { sql } from 'kysely'
import { type Happening, writeEnvelope } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Tells of a job's end: one delivery for each active endpoint that wants the event, and one for the
 * job's own `webhookUrl`. Belongs in the transaction that ends the job, so that neither is ever
 * there without the other. Started by the relay, which hears of them when that is committed.
 */
export async function writeDeliveries(
  db: Db,
  { accountId, happening }: { accountId: string; happening: Happening },
): Promise<void> {
  const { event, jobId } = happening
  const body = writeEnvelope(happening)
  await sql`
    ${prepared('write-deliveries')} with written as (
      insert into webhook_deliveries (account_id, webhook_id, url, target, event, job_id, body)
      select account_id, id, null, id::text, ${event}::text, ${jobId}::uuid, ${body}::text
      from webhooks
      where account_id = ${accountId} and status = 'active' and ${event} = any(events)
      union all
      select account_id, null, webhook_url, split_part(webhook_url, '/', 3),
        ${event}::text, id, ${body}::text
      from jobs
      where id = ${jobId} and account_id = ${accountId} and webhook_url is not null
      returning 1
    )
    select pg_notify('webhook_deliveries', '') from written limit 1`.execute(db)
}
