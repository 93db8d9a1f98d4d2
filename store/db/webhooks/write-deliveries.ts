import { sql } from 'kysely'
import { type Happening, writeEnvelope } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Writes the deliveries for ends of an account's jobs: one for each active endpoint that wants the
 * event, and one for the job's own `webhookUrl`. Belongs in the transaction that ends the jobs, so
 * that neither exists without the other. The commit notifies the relay, which starts them.
 */
export async function writeDeliveries(
  db: Db,
  { accountId, happenings }: { accountId: string; happenings: readonly Happening[] },
): Promise<void> {
  const jobIds = happenings.map(({ jobId }) => jobId)
  await sql`
    ${prepared('write-deliveries')} with happening as materialized (
      select * from unnest(${jobIds}::uuid[], ${happenings.map(({ event }) => event)}::text[],
        ${happenings.map((happening) => writeEnvelope(happening))}::text[]) as happening (job_id, event, body)
    ), written as (
      insert into webhook_deliveries (account_id, webhook_id, url, target, event, job_id, body)
      select w.account_id, w.id, null, w.id::text, h.event, h.job_id, h.body
      from webhooks w join happening h on h.event = any(w.events)
      where w.account_id = ${accountId} and w.status = 'active'
      union all
      select j.account_id, null, j.webhook_url, split_part(j.webhook_url, '/', 3),
        h.event, j.id, h.body
      from jobs j join happening h on h.job_id = j.id
      where j.id = any(${jobIds}::uuid[]) and j.account_id = ${accountId}
        and j.webhook_url is not null
      returning 1
    )
    select pg_notify('webhook_deliveries', '') from written limit 1`.execute(db)
}
