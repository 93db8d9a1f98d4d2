import type { Client } from '@temporalio/client'
import type { Log } from '../../runtime/log.ts'
import type { Db } from '../../store/db/database.ts'
import { forgetDeliveries } from '../../store/db/webhooks/forget-deliveries.ts'
import { markDeliveriesStarted, takeDeliveries } from '../../store/db/webhooks/take-deliveries.ts'
import { webhookTaskQueue } from '../definitions/webhook-queues.ts'
import { startOutbox } from './outbox.ts'

const workflowType = 'webhookDelivery'

/** Workflows started at once. */
const batch = 50
/** Shorter than a claim on a delivery. */
const startTimeoutMs = 5_000
const retentionDays = 30
const forgetEveryMs = 10 * 60_000
const forgottenAtOnce = 1_000
const countEveryMs = 10_000
/** Temporal's TASK_QUEUE_TYPE_ACTIVITY. */
const activityQueue = 2

/**
 * Starts a workflow for each delivery in the outbox that is due. Any number of relays may run.
 * @returns a function that stops it after the batch in flight.
 */
export function startWebhookRelay({
  db,
  databaseUrl,
  client,
  log,
  attemptsAtOnce,
}: {
  db: Db
  databaseUrl: string
  client: Client
  log: Log
  /** First attempts that one process makes at once. */
  attemptsAtOnce: number
}): () => Promise<void> {
  let forgotten = 0
  const processes = countProcesses({ client, log })
  return startOutbox({ databaseUrl, channel: 'webhook_deliveries', log, sendBatch })

  async function sendBatch(): Promise<boolean> {
    const maxInFlight = attemptsAtOnce * (await processes())
    const ids = await takeDeliveries(db, { limit: batch, maxInFlight })
    const started = await Promise.all(ids.map(start))
    const known = ids.filter((_, i) => started[i])
    if (known.length > 0) await markDeliveriesStarted(db, known)
    if (Date.now() - forgotten > forgetEveryMs) {
      forgotten = Date.now()
      await forgetDeliveries(db, { days: retentionDays, limit: forgottenAtOnce })
    }
    return ids.length === batch
  }

  /** Returns false when it must be retried; its claim runs out by itself. */
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

/**
 * Counts the processes that poll for deliveries in Temporal; one while it is away. No more first
 * attempts are started than these processes can run. None waits in Temporal's first-come queue, so
 * the database alone decides their order.
 */
function countProcesses({ client, log }: { client: Client; log: Log }): () => Promise<number> {
  const { namespace } = client.options
  let known = 1
  let countedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - countedAt < countEveryMs) return known
    countedAt = performance.now()
    try {
      const { pollers } = await client.withDeadline(Date.now() + startTimeoutMs, () =>
        client.workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name: webhookTaskQueue },
          taskQueueType: activityQueue,
        }),
      )
      known = Math.max(1, new Set((pollers ?? []).map(({ identity }) => identity)).size)
    } catch (error) {
      log.warn({ err: error }, 'the processes that take deliveries could not be counted')
    }
    return known
  }
}
