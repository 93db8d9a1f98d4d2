import { randomUUID } from 'node:crypto'
import { sampleHappening, type WebhookEvent } from '../../../../core/webhooks/envelope.ts'
import type { Db } from '../../../../store/db/database.ts'
import type { DeliveryAttempt } from '../../../../store/db/schema.ts'
import { createWebhook } from '../../../../store/db/webhooks/create-webhook.ts'
import { orderTestDelivery } from '../../../../store/db/webhooks/order-delivery.ts'

/** An attempt that the receiver answered with 500. */
export const attempt: DeliveryAttempt = {
  ...{ at: '2026-01-01T00:00:00.000Z', responseCode: 500, error: 'no', durationMs: 3 },
}

/** Makes endpoints and deliveries in one database, and reads them. */
export function webhookRows(db: Db) {
  return {
    async addWebhook(accountId: string, events: WebhookEvent[] = ['render.completed']) {
      const id = randomUUID()
      const url = 'https://example.com/hook'
      const webhook = { id, accountId, url, events, description: '', secret: 'sealed' }
      if (!(await createWebhook(db, webhook, { limit: 1000 })))
        throw new Error('No endpoint was made')
      return { accountId, webhookId: id }
    },

    async addDelivery(webhook: { accountId: string; webhookId: string }): Promise<string> {
      const happening = sampleHappening('render.completed', new Date().toISOString())
      const id = await orderTestDelivery(db, { ...webhook, happening })
      if (id === undefined) throw new Error('No delivery was ordered')
      return id
    },

    async deliveriesOf(accountId: string) {
      return await db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .execute()
    },
  }
}
