import { proxyActivities, sleep } from '@temporalio/workflow'
import type { WebhookActivities } from './activities/deliver.ts'
import { webhookRetryQueue } from './webhook-queues.ts'

/**
 * An attempt that its process did not survive is made again by another, as the same attempt: the
 * receiver may get it twice, and knows it by its id. Longer than an attempt with its writes takes.
 */
const options = {
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
} as const

const first = proxyActivities<WebhookActivities>(options)
const later = proxyActivities<WebhookActivities>({ ...options, taskQueue: webhookRetryQueue })

/**
 * One event to one receiver, to its end: taken, given up, or its endpoint disabled. The attempts
 * are counted in the database, so that a workflow that is lost and started again goes on there.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  let { waitMs } = await first.attempt(deliveryId)
  while (waitMs !== null) {
    await sleep(waitMs)
    waitMs = (await later.attempt(deliveryId)).waitMs
  }
}
