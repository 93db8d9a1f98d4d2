import type { Client } from '@temporalio/client'
import type { Log } from '../runtime/log.ts'
import type { Db } from '../store/db/database.ts'
import { forgetDeliveries } from '../store/db/statements/forget-deliveries.ts'
import { markDeliveriesStarted, takeDeliveries } from '../store/db/statements/take-deliveries.ts'
import { startOutbox } from './outbox.ts'

export const webhookTaskQueue = 'farm-webhooks'
const workflowType = 'webhookDelivery'

/** Workflows started at once. */
const batch = 50
/** Shorter than a claim (take-deliveries.ts). */
const startTimeoutMs = 5_000
const keptDays = 30
const forgetEveryMs = 10 * 60_000
const forgottenAtOnce = 1_000

/**
 * Starts a workflow for each delivery that stands in the outbox and has its turn. Any number of
 * relays may run.
 * @returns a function that stops it after the batch that is being started.
 */
export function startWebhookRelay({
  db,
  databaseUrl,
  client,
  log,
}: {
  db: Db
  databaseUrl: string
  client: Client
  log: Log
}): () => Promise<void> {
  let forgotten = 0
  return startOutbox({ databaseUrl, channel: 'webhook_deliveries', log, sendBatch })

  async function sendBatch(): Promise<boolean> {
    const ids = await takeDeliveries(db, { limit: batch })
    const started = await Promise.all(ids.map(start))
    const known = ids.filter((_, i) => started[i])
    if (known.length > 0) await markDeliveriesStarted(db, known)
    if (Date.now() - forgotten > forgetEveryMs) {
      forgotten = Date.now()
      await forgetDeliveries(db, { days: keptDays, limit: forgottenAtOnce })
    }
    return ids.length === batch
  }

  /** False when it must be tried again; its claim runs out by itself. */
  async function start(deliveryId: string): Promise<boolean> {
    try {
      await client.withDeadline(Date.now() + startTimeoutMs, () =>
        client.workflow.start(workflowType, {
          taskQueue: webhookTaskQueue,
          workflowId: deliveryId,
          args: [deliveryId],
          // A delivery that still waits although its workflow has ended is started again.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        }),
      )
      return true
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError')
        return true
      log.warn({ err: error, delivery: deliveryId }, 'a delivery could not be started')
      return false
    }
  }
}
