import { sealedAs } from '../../core/webhooks/endpoint.ts'
import { attemptTimeoutMs, retryDelay } from '../../core/webhooks/schedule.ts'
import { type Attempt, attemptHeaders } from '../../core/webhooks/signature.ts'
import type { Log } from '../../runtime/log.ts'
import {
  postWebhook,
  type WebhookAnswer,
  type WebhookFailure,
} from '../../runtime/outbound/post-webhook.ts'
import { type SealKeys, unseal } from '../../runtime/seal.ts'
import { deliveryPlace } from '../../runtime/tracing/places.ts'
import type { Tracing } from '../../runtime/tracing/tracing.ts'
import type { Db } from '../../store/db/database.ts'
import { type DueDelivery, getDueDelivery } from '../../store/db/webhooks/get-due-delivery.ts'
import {
  endDisabledDelivery,
  recordExhaustion,
  recordFailure,
  recordSuccess,
} from '../../store/db/webhooks/record-attempt.ts'
import type { WorkflowsMetrics } from '../metrics.ts'
import { sign } from './sign.ts'

/** Dependencies of webhook deliveries. */
export type WebhookContext = {
  readonly db: Db
  readonly log: Log
  readonly metrics: WorkflowsMetrics
  readonly tracing: Tracing
  readonly sealKeys: SealKeys
  readonly trustedHosts: readonly string[]
  /** Pauses from core/webhooks/schedule.ts; tests use shorter ones. */
  readonly retryDelaysMs: readonly number[]
}

export type WebhookActivities = {
  /**
   * Makes one attempt, unless it is too early. `waitMs`: time to the next one; null: the delivery
   * has ended.
   */
  attempt(deliveryId: string): Promise<{ readonly waitMs: number | null }>
}

export function createWebhookActivities(context: WebhookContext): WebhookActivities {
  return { attempt: (deliveryId) => attempt(context, deliveryId) }
}

async function attempt(context: WebhookContext, deliveryId: string) {
  const { db, trustedHosts } = context
  const delivery = await getDueDelivery(db, deliveryId)
  if (!delivery) return { waitMs: null }
  if (delivery.endpoint?.isDisabled) {
    await endDisabledDelivery(db, deliveryId)
    return { waitMs: null }
  }
  if (delivery.waitMs > 0) return { waitMs: delivery.waitMs }
  const at = new Date()
  const headers = headersOf(context, delivery, at)
  const { failure, ...answer } = await postWebhook({
    ...{ url: delivery.url, headers, body: delivery.body },
    ...{ trustedHosts, timeoutMs: attemptTimeoutMs },
  })
  traceAttempt(context, { delivery, at, answer, failure })
  return { waitMs: await record(context, { delivery, at, answer }) }
}

/** Adds the attempt to the job's trace, after the job's end. A test event has no job. */
function traceAttempt(
  { tracing }: WebhookContext,
  {
    delivery: { id: deliveryId, jobId, event, failedAttempts, isTest },
    at,
    answer,
    failure,
  }: {
    delivery: DueDelivery
    at: Date
    answer: WebhookAnswer
    failure: WebhookFailure | undefined
  },
): void {
  if (isTest) return
  const attempt = failedAttempts + 1
  tracing.record({
    name: 'webhook',
    kind: 'client',
    place: deliveryPlace({ jobId, deliveryId, attempt }),
    start: at,
    end: at.getTime() + answer.durationMs,
    failure,
    attributes: {
      'farm.job.id': jobId,
      'farm.webhook.delivery.id': deliveryId,
      'farm.webhook.event': event,
      'farm.webhook.attempt': attempt,
      'http.response.status_code': answer.responseCode ?? undefined,
    },
  })
}

function headersOf({ sealKeys }: WebhookContext, delivery: DueDelivery, at: Date) {
  const signed: Attempt = {
    deliveryId: delivery.id,
    event: delivery.event,
    jobId: delivery.jobId,
    timestamp: Math.floor(at.getTime() / 1000),
    body: delivery.body,
  }
  if (delivery.endpoint === null) return attemptHeaders(signed)
  const { id, secrets } = delivery.endpoint
  const opened = secrets.map((secret) => unseal(sealKeys, secret, sealedAs(id)))
  return attemptHeaders(signed, sign(signed, { secrets: opened, number: delivery.failedAttempts }))
}

/** Stores the attempt; answers the pause before the next one, or null when there is none. */
async function record(
  { db, log, metrics, retryDelaysMs }: WebhookContext,
  { delivery, at, answer }: { delivery: DueDelivery; at: Date; answer: WebhookAnswer },
): Promise<number | null> {
  const deliveryId = delivery.id
  const attempt = { at: at.toISOString(), ...answer }
  if (answer.error === null) {
    await recordSuccess(db, { deliveryId, attempt })
    metrics.delivered('taken', delivery.lateSeconds)
    return null
  }
  const failed = delivery.failedAttempts + 1
  log.info({ delivery: deliveryId, failed, error: answer.error }, 'a webhook attempt failed')
  const delayMs = retryDelay(failed, retryDelaysMs)
  if (delayMs === undefined) {
    await recordExhaustion(db, { deliveryId, attempt })
    metrics.delivered('exhausted', delivery.lateSeconds)
    return null
  }
  await recordFailure(db, { deliveryId, attempt, delayMs })
  metrics.delivered('failed', delivery.lateSeconds)
  return delayMs
}
