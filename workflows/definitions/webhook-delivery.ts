import { proxyActivities, sleep } from '@temporalio/workflow'
import type { WebhookActivities } from '../webhooks/deliver.ts'
import { webhookRetryQueue } from './webhook-queues.ts'

/**
 * When a process dies, another repeats its attempt as the same one: the receiver may get it twice,
 * and knows it by its id. The time-out is longer than an attempt with its writes.
 */
const options = {
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
} as const

const first = proxyActivities<WebhookActivities>(options)
const later = proxyActivities<WebhookActivities>({ ...options, taskQueue: webhookRetryQueue })

/**
 * Delivers one event to one receiver until it is accepted, given up, or its endpoint is disabled.
 * Attempts are counted in the database, so a workflow that was lost and restarted continues there.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  let { waitMs } = await first.attempt(deliveryId)
  while (waitMs !== null) {
    await sleep(waitMs)
    waitMs = (await later.attempt(deliveryId)).waitMs
  }
}
