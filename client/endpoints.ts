import type { AccountDelivery, Delivery, JobDelivery, Webhook } from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Query, Reply } from './caller.ts'
import { eachOf } from './pages.ts'

export type Webhooks = Reply<'GET /api/webhooks'>
export type NewWebhook = Body<'POST /api/webhooks'>
export type WebhookChange = Body<'PUT /api/webhooks/{id}'>
export type DeliveryFilter = Omit<
  Query<'GET /api/webhooks/deliveries'>,
  'page' | 'pageSize' | 'limit' | 'after'
>
export type WebhookWithSecret = Reply<'POST /api/webhooks'>
export type QueuedDelivery = Reply<'POST /api/webhooks/{id}/test'>

/** Largest page of a list. */
const pageSize = 100

/** Methods for the account's webhook endpoints. Receivers verify deliveries with `verifyWebhook`. */
export function webhookMethods({ ask, act }: Caller) {
  return {
    /** Lists the endpoints, oldest first, with the plan's limit. */
    list: (options: CallOptions = {}): Promise<Webhooks> => ask('GET /api/webhooks', options),

    async get(id: string, options: CallOptions = {}): Promise<Webhook> {
      return (await ask('GET /api/webhooks/{id}', { ...options, id })).webhook
    },

    /** Creates an endpoint. `secret` is shown only this once. */
    create: (webhook: NewWebhook, options: ActOptions = {}): Promise<WebhookWithSecret> =>
      act('POST /api/webhooks', { ...options, body: webhook }),

    change: (id: string, change: WebhookChange, options: CallOptions = {}): Promise<Webhook> =>
      ask('PUT /api/webhooks/{id}', { ...options, id, body: change }),

    async delete(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/webhooks/{id}', { ...options, id })
    },

    /** Makes a new secret; the old one still signs for 24 hours. */
    rotateSecret: (id: string, options: ActOptions = {}): Promise<WebhookWithSecret> =>
      act('POST /api/webhooks/{id}/rotate-secret', { ...options, id }),

    /** Sends a sample event, flagged `test`. */
    test: (
      id: string,
      order: Body<'POST /api/webhooks/{id}/test'> = {},
      options: ActOptions = {},
    ): Promise<QueuedDelivery> =>
      act('POST /api/webhooks/{id}/test', { ...options, id, body: order }),

    /** Lists the deliveries to the endpoint, newest first. */
    deliveries: (id: string, options: CallOptions = {}): AsyncGenerator<Delivery> =>
      eachOf((page) => ask('GET /api/webhooks/{id}/deliveries', { ...options, id, query: page }), {
        items: ({ deliveries }) => deliveries,
        key: (delivery) => delivery.id,
      }),

    /** Lists the deliveries to all receivers, newest first, each with its body. */
    async *allDeliveries(
      filter: DeliveryFilter = {},
      options: CallOptions = {},
    ): AsyncGenerator<AccountDelivery> {
      let after: string | null | undefined
      while (after !== null) {
        const query = { ...filter, pageSize, ...(after !== undefined && { after }) }
        const page = await ask('GET /api/webhooks/deliveries', { ...options, query })
        yield* page.deliveries
        after = page.next
      }
    },

    /** Lists the deliveries about a job: to endpoints, and to its own `webhookUrl`. */
    deliveriesOfJob: (jobId: string, options: CallOptions = {}): AsyncGenerator<JobDelivery> =>
      eachOf(
        (page) => ask('GET /api/jobs/{id}/deliveries', { ...options, id: jobId, query: page }),
        {
          items: ({ deliveries }) => deliveries,
          key: (delivery) => delivery.id,
        },
      ),

    /**
     * Sends failed deliveries since a time again, at most `limit` of the answer; those that such a call
     * has sent before are left out. Repeat it while `left` is above 0.
     */
    redeliverFailed: (
      order: Body<'POST /api/webhooks/deliveries/redeliver'>,
      options: ActOptions = {},
    ): Promise<Reply<'POST /api/webhooks/deliveries/redeliver'>> =>
      act('POST /api/webhooks/deliveries/redeliver', { ...options, body: order }),

    /** Sends the same bytes once more, as a new delivery. */
    redeliver: (deliveryId: string, options: ActOptions = {}): Promise<QueuedDelivery> =>
      act('POST /api/webhooks/deliveries/{id}/redeliver', { ...options, id: deliveryId }),
  }
}
