import { sql } from 'kysely'
import type { WebhookChange } from '../../../core/webhooks/endpoint.ts'
import type { Db } from '../database.ts'
import { endPendingOfDisabled } from './end-pending-deliveries.ts'

/**
 * Changes an endpoint. An enabled one counts exhausted deliveries from zero; a disabled one gets no
 * more deliveries, not even pending ones. False: the account has no such endpoint.
 */
export async function updateWebhook(
  db: Db,
  {
    accountId,
    webhookId,
    change: { url, events, description, status },
  }: { accountId: string; webhookId: string; change: WebhookChange },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    with changed as (
      update webhooks set
        url = coalesce(${url ?? null}::text, url),
        events = coalesce(${events ? [...new Set(events)] : null}::text[], events),
        description = coalesce(${description ?? null}::text, description),
        status = coalesce(${status ?? null}::text, status),
        exhausted_in_row = case
          when status = 'disabled' and ${status ?? null} = 'active' then 0 else exhausted_in_row
        end,
        disabled_at = case when status = 'active' and ${status ?? null} = 'disabled' then now()
          else disabled_at end,
        updated_at = now()
      where account_id = ${accountId} and id = ${webhookId}
      returning id, status
    ), disabled as (select id from changed where status = 'disabled'),
    ${endPendingOfDisabled}
    select true as found from changed`.execute(db)
  return rows.length > 0
}
