import { type Static, Type } from 'typebox'
import { webhookStatuses } from '../../core/webhooks/endpoint.ts'
import { webhookEvents } from '../../core/webhooks/envelope.ts'
import { explainPending } from '../../core/webhooks/pending.ts'
import type { DeliveryView } from '../../store/db/webhooks/list-deliveries.ts'
import type { WebhookView } from '../../store/db/webhooks/list-webhooks.ts'
import { WarningView } from '../jobs/job-view.ts'
import { WebhookId } from './webhook-id.ts'

const Time = Type.String({ format: 'date-time' })
const maybe = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const fields = {
  id: WebhookId,
  url: Type.String(),
  events: Type.Array(Type.Enum([...webhookEvents])),
  description: Type.String(),
  status: Type.Enum([...webhookStatuses]),
  exhaustedInRow: Type.Integer({
    description: 'Consecutive deliveries that used up all attempts; the 20th disables the endpoint',
  }),
  previousSecretUntil: maybe(Time),
  createdAt: Time,
  updatedAt: Time,
}

export const Webhook = Type.Object(fields, { $id: 'Webhook' })

export const WebhookWithSecret = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'Shown only in this response' }),
    warnings: Type.Optional(
      Type.Array(WarningView, {
        description: 'Probable mistakes; absent when there are none',
      }),
    ),
  },
  { $id: 'WebhookWithSecret' },
)

export const Queued = Type.Object({
  queued: Type.Literal(true),
  deliveryId: Type.String({ format: 'uuid' }),
})

export const deliveryFields = {
  id: Type.String({ format: 'uuid' }),
  event: Type.Enum([...webhookEvents]),
  jobId: Type.String({ format: 'uuid' }),
  test: Type.Boolean(),
  status: Type.Union([Type.Literal('pending'), Type.Literal('succeeded'), Type.Literal('failed')]),
  failedReason: maybe(Type.String()),
  attempts: Type.Array(
    Type.Object({
      at: Time,
      responseCode: maybe(Type.Integer()),
      error: maybe(Type.String()),
      durationMs: Type.Integer(),
    }),
  ),
  createdAt: Time,
  nextAttemptAt: maybe(Time),
  waiting: Type.Optional(
    Type.String({ description: 'Reason for the wait, unless the delivery is about to be sent' }),
  ),
}

export const Delivery = Type.Object(deliveryFields, { $id: 'Delivery' })

/** A delivery in the log of a job, which has several receivers. */
export const JobDelivery = Type.Object(
  {
    ...deliveryFields,
    webhookId: maybe(
      Type.String({ description: 'Id of the endpoint; null for the webhookUrl of the job' }),
    ),
    url: Type.String({ description: 'Address of the receiver' }),
  },
  { $id: 'JobDelivery' },
)

/** A delivery in the log of the account. */
export const AccountDelivery = Type.Object(
  {
    ...JobDelivery.properties,
    body: Type.String({ description: 'Text of the request, the same at each attempt' }),
  },
  { $id: 'AccountDelivery' },
)

export function showAccountDelivery(delivery: DeliveryView): Static<typeof AccountDelivery> {
  return { ...showJobDelivery(delivery), body: delivery.body }
}

export function showWebhook({ publicId, ...webhook }: WebhookView): Static<typeof Webhook> {
  return {
    ...webhook,
    id: publicId ?? webhook.id,
    events: [...webhook.events],
    previousSecretUntil: webhook.previousSecretUntil?.toISOString() ?? null,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  }
}

export function showDelivery(delivery: DeliveryView): Static<typeof Delivery> {
  const { webhookId: _, url: __, ...shown } = showJobDelivery(delivery)
  return shown
}

export function showJobDelivery({
  isOpen,
  sleeping,
  body: _,
  ...delivery
}: DeliveryView): Static<typeof JobDelivery> {
  const nextAttemptAt = delivery.nextAttemptAt?.toISOString() ?? null
  const waiting = explainPending({ ...delivery, nextAttemptAt, isOpen, sleeping })
  return {
    ...delivery,
    attempts: delivery.attempts.map((attempt) => ({ ...attempt })),
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt,
    ...(waiting !== undefined && { waiting }),
  }
}
