import type { Db } from '../../store/db/database.ts'
import { countPendingDeliveries } from '../../store/db/webhooks/count-pending-deliveries.ts'
import { type DeliveryView, listDeliveries } from '../../store/db/webhooks/list-deliveries.ts'
import { listWebhooks, type WebhookView } from '../../store/db/webhooks/list-webhooks.ts'
import { orderRedelivery } from '../../store/db/webhooks/order-delivery.ts'
import { stopDelivery } from '../../store/db/webhooks/stop-delivery.ts'
import { updateWebhook } from '../../store/db/webhooks/update-webhook.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { answerRows, operate, requireAccount } from './operate.ts'
import { showTable, type TableRow } from './table.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

/**
 * `farm webhooks list ACCOUNT`: its endpoints, and the hosts of jobs' callbacks, with their pending
 * deliveries.
 */
export async function showWebhooks({ account, json }: OfAccount): Promise<void> {
  await operate(json, async (db) => {
    const { id } = await requireAccount(db, account)
    const [webhooks, counted] = [await listWebhooks(db, id), await countPendingDeliveries(db, id)]
    const none = { pending: 0, failing: 0, oldest: null }
    const endpoints = webhooks.map((webhook): TableRow => {
      const { pending, failing, oldest } =
        counted.find(({ target }) => target === webhook.id) ?? none
      return { ...rowOf(webhook), pending, failing, oldest }
    })
    const callbacks = counted.flatMap(({ isCallback, target, ...counts }): TableRow[] => {
      const of = { webhook: '(webhookUrl)', url: target, status: null }
      return isCallback ? [{ ...of, events: null, exhausted: null, ...counts }] : []
    })
    return answerRows([...endpoints, ...callbacks])
  })
}

/** `farm webhooks show ACCOUNT WEBHOOK`: an endpoint and its latest deliveries. */
export async function showWebhook({
  account,
  webhook,
  limit,
  json,
}: OfAccount & { readonly webhook: string; readonly limit: number }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const found = await findEndpoint(db, { accountId, id: webhook })
    if (!found)
      throw new Failure(`WEBHOOK must be the id of an endpoint of the account. Got ${webhook}`)
    const page = { accountId, webhookId: found.id, page: 1, pageSize: limit }
    const { deliveries, total } = await listDeliveries(db, page)
    const head = showTable([rowOf(found)])
    const log = showTable(deliveries.map(rowOfDelivery))
    const text = `${head}\n\nthe latest of ${total} deliveries\n${log}`
    return { json: { ...rowOf(found), total, deliveries: deliveries.map(rowOfDelivery) }, text }
  })
}

/** `farm webhooks stop ACCOUNT ID`: disables an endpoint, or ends one pending delivery. */
export async function stopWebhook({
  account,
  id,
  json,
  ...options
}: OfAccount & ActOptions & { readonly id: string }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `webhooks stop ${id}`, subject: accountId, ...options }
    const stopped = await act(db, done, async (tx) => {
      const endpoint = await findEndpoint(tx, { accountId, id })
      if (endpoint) {
        const change = { status: 'disabled' } as const
        await updateWebhook(tx, { accountId, webhookId: endpoint.id, change })
        return 'endpoint' as const
      }
      if (isUuid(id) && (await stopDelivery(tx, { accountId, deliveryId: id })))
        return 'delivery' as const
      const rule = 'ID must be the id of an endpoint or of a pending delivery of the account'
      throw new Failure(`${rule}. Got ${id}`)
    })
    const text = stopped === 'endpoint' ? `disabled ${id}` : `stopped ${id}`
    return { json: { stopped, id }, text }
  })
}

/** `farm webhooks redeliver ACCOUNT DELIVERY`: the same bytes once more, under a new id. */
export async function redeliverWebhook({
  account,
  delivery,
  json,
  ...options
}: OfAccount & ActOptions & { readonly delivery: string }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `webhooks redeliver ${delivery}`, subject: accountId, ...options }
    const deliveryId = await act(db, done, async (tx) => {
      const ordered = await orderRedelivery(tx, { accountId, deliveryId: delivery })
      if (ordered?.id) return ordered.id
      throw new Failure(
        `DELIVERY must be the id of an ended delivery of the account, to an active endpoint. ${seen(ordered)}`,
      )
    })
    return { json: { queued: true, deliveryId }, text: `queued ${deliveryId}` }
  })
}

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

function rowOf({ id, publicId, url, status, events, exhaustedInRow }: WebhookView): TableRow {
  return { webhook: publicId ?? id, url, status, events, exhausted: exhaustedInRow }
}

function rowOfDelivery(delivery: DeliveryView): TableRow {
  const { id, event, jobId, test, status, attempts, createdAt, nextAttemptAt } = delivery
  const last = attempts.at(-1)
  const answer = last?.error ?? (last ? String(last.responseCode) : delivery.failedReason)
  return {
    ...{ delivery: id, event, job: jobId, test, status, attempts: attempts.length },
    ...{ created: createdAt, next: nextAttemptAt, answer },
  }
}
