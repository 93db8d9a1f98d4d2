import type { Delivery, JobDelivery, Webhook } from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Reply } from './caller.ts'
import { eachOf } from './pages.ts'

export type Webhooks = Reply<'GET /api/webhooks'>
export type NewWebhook = Body<'POST /api/webhooks'>
export type WebhookChange = Body<'PUT /api/webhooks/{id}'>
export type WebhookWithSecret = Reply<'POST /api/webhooks'>
export type QueuedDelivery = Reply<'POST /api/webhooks/{id}/test'>

/** The account's webhook endpoints. What they receive is verified by `verifyWebhook`. */
export function webhookMethods({ ask, act }: Caller) {
  return {
    /** Oldest first, with how many the plan allows. */
    list: (options: CallOptions = {}): Promise<Webhooks> => ask('GET /api/webhooks', options),

    async get(id: string, options: CallOptions = {}): Promise<Webhook> {
      return (await ask('GET /api/webhooks/{id}', { ...options, id })).webhook
    },

    /** `secret` is shown this once. */
    create: (webhook: NewWebhook, options: ActOptions = {}): Promise<WebhookWithSecret> =>
      act('POST /api/webhooks', { ...options, body: webhook }),

    change: (id: string, change: WebhookChange, options: CallOptions = {}): Promise<Webhook> =>
      ask('PUT /api/webhooks/{id}', { ...options, id, body: change }),

    async delete(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/webhooks/{id}', { ...options, id })
    },

    /** A new secret; the old one signs on for 24 hours. */
    rotateSecret: (id: string, options: ActOptions = {}): Promise<WebhookWithSecret> =>
      act('POST /api/webhooks/{id}/rotate-secret', { ...options, id }),

    /** Sends a sample event, flagged `test`. */
    test: (
      id: string,
      order: Body<'POST /api/webhooks/{id}/test'> = {},
      options: ActOptions = {},
    ): Promise<QueuedDelivery> =>
      act('POST /api/webhooks/{id}/test', { ...options, id, body: order }),

    /** What was sent to it, newest first. */
    deliveries: (id: string, options: CallOptions = {}): AsyncGenerator<Delivery> =>
      eachOf((page) => ask('GET /api/webhooks/{id}/deliveries', { ...options, id, query: page }), {
        items: ({ deliveries }) => deliveries,
        key: (delivery) => delivery.id,
      }),

    /** What told of a job: to endpoints, and to its own `webhookUrl`. */
    deliveriesOfJob: (jobId: string, options: CallOptions = {}): AsyncGenerator<JobDelivery> =>
      eachOf(
        (page) => ask('GET /api/jobs/{id}/deliveries', { ...options, id: jobId, query: page }),
        {
          items: ({ deliveries }) => deliveries,
          key: (delivery) => delivery.id,
        },
      ),

    /** Sends the same bytes once more, as a new delivery. */
    redeliver: (deliveryId: string, options: ActOptions = {}): Promise<QueuedDelivery> =>
      act('POST /api/webhooks/deliveries/{id}/redeliver', { ...options, id: deliveryId }),
  }
}
