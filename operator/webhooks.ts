import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import type { Db } from '../store/db/database.ts'
import { countPendingDeliveries } from '../store/db/webhooks/count-pending-deliveries.ts'
import { type DeliveryView, listDeliveries } from '../store/db/webhooks/list-deliveries.ts'
import { listWebhooks, type WebhookView } from '../store/db/webhooks/list-webhooks.ts'
import { orderRedelivery } from '../store/db/webhooks/order-delivery.ts'
import { stopDelivery } from '../store/db/webhooks/stop-delivery.ts'
import { updateWebhook } from '../store/db/webhooks/update-webhook.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { withoutSecrets } from './public-url.ts'
import { IdOrName, limitOf, Nullable, Time, Uuid } from './schemas.ts'

const Endpoint = Type.Object({
  id: Type.String({ format: 'uuid' }),
  publicId: Nullable(Type.String()),
  url: Type.String({ description: 'Without its query' }),
  events: Type.Array(Type.String()),
  status: Type.String(),
  exhaustedInRow: Type.Integer(),
})

const params = Type.Object({ account: IdOrName })

export const listWebhooksOperation = read({
  ...{ id: 'operatorListWebhooks', path: '/accounts/:account/webhooks', role: 'viewer' },
  summary: 'List the endpoints of an account, and pending deliveries by receiver',
  params,
  answer: Type.Object({
    webhooks: Type.Array(Endpoint),
    pending: Type.Array(
      Type.Object({
        target: Type.String({ description: 'Id of an endpoint, or the host of jobs’ callbacks' }),
        isCallback: Type.Boolean(),
        pending: Type.Integer(),
        failing: Type.Integer(),
        oldest: Time,
      }),
    ),
  }),
  async run({ db }, { account }) {
    const { id } = await requireAccount(db, account)
    const webhooks = await listWebhooks(db, id)
    return { webhooks: webhooks.map(show), pending: await countPendingDeliveries(db, id) }
  },
})

const usual = 20

export const getWebhookOperation = read({
  ...{ id: 'operatorGetWebhook', path: '/accounts/:account/webhooks/:webhook', role: 'viewer' },
  summary: 'Show an endpoint with its latest deliveries',
  params: Type.Object({ account: IdOrName, webhook: IdOrName }),
  query: Type.Object({ limit: limitOf(10_000, usual) }),
  answer: Type.Interface([Endpoint], {
    total: Type.Integer(),
    deliveries: Type.Array(
      Type.Object({
        id: Type.String({ format: 'uuid' }),
        event: Type.String(),
        jobId: Type.String(),
        test: Type.Boolean(),
        status: Type.String(),
        failedReason: Nullable(Type.String()),
        attempts: Type.Array(Type.Record(Type.String(), Type.Unknown())),
        createdAt: Time,
        nextAttemptAt: Nullable(Time),
      }),
    ),
  }),
  async run({ db }, { account, webhook, limit = usual }) {
    const { id: accountId } = await requireAccount(db, account)
    const found = await findEndpoint(db, { accountId, id: webhook })
    if (!found) {
      const rule = 'WEBHOOK must be the id of an endpoint of the account'
      throw new FarmError('not_found', `${rule}. Got ${webhook}`)
    }
    const page = { accountId, webhookId: found.id, page: 1, pageSize: limit }
    const { deliveries, total } = await listDeliveries(db, page)
    return { ...show(found), total, deliveries: deliveries.map(showDelivery) }
  },
})

export const stopWebhookOperation = change({
  ...{ id: 'operatorStopWebhook', path: '/accounts/:account/webhooks/:webhook/stop' },
  role: 'operator',
  summary: 'Disable an endpoint, or end one pending delivery by its id',
  params: Type.Object({ account: IdOrName, webhook: IdOrName }),
  answer: Type.Object({ stopped: Type.Enum(['endpoint', 'delivery']), id: Type.String() }),
  async run({ db }, { account, webhook: id, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `webhooks stop ${id}`, subject: accountId, why, actor }
    const stopped = await act(db, done, async (tx) => {
      const endpoint = await findEndpoint(tx, { accountId, id })
      if (endpoint) {
        const disabled = { status: 'disabled' } as const
        await updateWebhook(tx, { accountId, webhookId: endpoint.id, change: disabled })
        return 'endpoint' as const
      }
      if (isUuid(id) && (await stopDelivery(tx, { accountId, deliveryId: id }))) {
        return 'delivery' as const
      }
      const rule = 'ID must be the id of an endpoint or of a pending delivery of the account'
      throw new FarmError('not_found', `${rule}. Got ${id}`)
    })
    return { stopped, id }
  },
})

export const redeliverOperation = change({
  ...{ id: 'operatorRedeliver', path: '/accounts/:account/deliveries/:delivery/redeliver' },
  role: 'operator',
  summary: 'Send the bytes of an ended delivery once more, under a new id',
  params: Type.Object({ account: IdOrName, delivery: Uuid }),
  answer: Type.Object({ queued: Type.Literal(true), deliveryId: Type.String() }),
  async run({ db }, { account, delivery, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `webhooks redeliver ${delivery}`, subject: accountId, why, actor }
    const deliveryId = await act(db, done, async (tx) => {
      const ordered = await orderRedelivery(tx, { accountId, deliveryId: delivery })
      if (ordered?.id) return ordered.id
      const rule =
        'DELIVERY must be the id of an ended delivery of the account, to an active endpoint'
      throw new FarmError(ordered ? 'conflict' : 'not_found', `${rule}. ${seen(ordered)}`)
    })
    return { queued: true as const, deliveryId }
  },
})

function seen(ordered: { readonly status: string } | undefined): string {
  if (!ordered) return 'Got an id that the account does not have'
  if (ordered.status === 'pending') return 'Got a pending delivery'
  return 'Got a delivery whose endpoint is disabled'
}

async function findEndpoint(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
): Promise<WebhookView | undefined> {
  const all = await listWebhooks(db, accountId)
  return all.find((each) => each.publicId === id || each.id === id.toLowerCase())
}

const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

function show({ id, publicId, url, events, status, exhaustedInRow }: WebhookView) {
  return { id, publicId, url: withoutSecrets(url), events, status, exhaustedInRow }
}

/** Leaves out the body, which holds addresses of the customer's films. */
function showDelivery(delivery: DeliveryView) {
  const { id, event, jobId, test, status, failedReason, attempts, ...times } = delivery
  const { createdAt, nextAttemptAt } = times
  return { id, event, jobId, test, status, failedReason, attempts, createdAt, nextAttemptAt }
}
