import {
  getWebhookOperation,
  listWebhooksOperation,
  redeliverOperation,
  stopWebhookOperation,
} from '../../operator/webhooks.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerRows, operateFarm } from './operate.ts'
import { showTable, type TableRow } from './table.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

/**
 * `farm webhooks list ACCOUNT`: its endpoints, and the hosts of jobs' callbacks, with their pending
 * deliveries.
 */
export async function showWebhooks({ account, json }: OfAccount): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { webhooks, pending: counted } = await farm.run(listWebhooksOperation, { account })
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
  json,
  ...asked
}: OfAccount & { readonly webhook: string; readonly limit: number }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { deliveries, total, ...found } = await farm.run(getWebhookOperation, asked)
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
  why,
  ...options
}: OfAccount & ActOptions & { readonly id: string }): Promise<void> {
  await operateFarm(options, async (farm) => {
    const { stopped } = await farm.run(stopWebhookOperation, { account, webhook: id, why })
    const text = stopped === 'endpoint' ? `disabled ${id}` : `stopped ${id}`
    return { json: { stopped, id }, text }
  })
}

/** `farm webhooks redeliver ACCOUNT DELIVERY`: the same bytes once more, under a new id. */
export async function redeliverWebhook({
  account,
  delivery,
  why,
  ...options
}: OfAccount & ActOptions & { readonly delivery: string }): Promise<void> {
  await operateFarm(options, async (farm) => {
    const queued = await farm.run(redeliverOperation, { account, delivery, why })
    return { json: queued, text: `queued ${queued.deliveryId}` }
  })
}

type Shown = Awaited<ReturnType<typeof getWebhookOperation.run>>
type Endpoint = Omit<Shown, 'deliveries' | 'total'>

function rowOf({ id, publicId, url, status, events, exhaustedInRow }: Endpoint): TableRow {
  return { webhook: publicId ?? id, url, status, events, exhausted: exhaustedInRow }
}

function rowOfDelivery(delivery: Shown['deliveries'][number]): TableRow {
  const { id, event, jobId, test, status, attempts, createdAt, nextAttemptAt } = delivery
  const last = attempts.at(-1)
  const answer = last?.error ?? (last ? String(last.responseCode) : delivery.failedReason)
  return {
    ...{ delivery: id, event, job: jobId, test, status, attempts: attempts.length },
    ...{ created: createdAt, next: nextAttemptAt, answer },
  }
}
