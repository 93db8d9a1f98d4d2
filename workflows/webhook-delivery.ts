import { proxyActivities, sleep } from '@temporalio/workflow'
import type { WebhookActivities } from './activities/deliver.ts'

/**
 * An attempt that its process did not survive is made again by another, as the same attempt: the
 * receiver may get it twice, and knows it by its id. Longer than an attempt with its writes takes.
 */
const { attempt } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
})

/**
 * One event to one receiver, to its end: taken, given up, or its endpoint disabled. The attempts
 * are counted in the database, so that a workflow that is lost and started again goes on there.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  for (;;) {
    const { waitMs } = await attempt(deliveryId)
    if (waitMs === null) return
    await sleep(waitMs)
  }
}
