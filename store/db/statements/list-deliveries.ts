import { sql } from 'kysely'
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
}

/** One page of an endpoint's log, newest first, and how many there are. `page` starts at 1. */
export async function listDeliveries(
  db: Db,
  {
    accountId,
    webhookId,
    page,
    pageSize,
  }: { accountId: string; webhookId: string; page: number; pageSize: number },
): Promise<{ readonly deliveries: readonly DeliveryView[]; readonly total: number }> {
  const condition = sql`account_id = ${accountId} and webhook_id = ${webhookId}`
  const [deliveries, counted] = await Promise.all([
    sql<DeliveryView>`
      select id, event, job_id as "jobId", test, status, failed_reason as "failedReason", attempts,
        created_at as "createdAt", next_attempt_at as "nextAttemptAt"
      from webhook_deliveries where ${condition}
      order by created_at desc, id limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(db),
    sql<{ total: number }>`
      select count(*) as total from webhook_deliveries where ${condition}`.execute(db),
  ])
  return { deliveries: deliveries.rows, total: counted.rows[0]?.total ?? 0 }
}
