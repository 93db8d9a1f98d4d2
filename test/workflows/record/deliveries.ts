import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, Connection } from '@temporalio/client'
import { sealedAs } from '../../../core/webhooks/endpoint.ts'
import { sampleHappening } from '../../../core/webhooks/envelope.ts'
import { seal } from '../../../runtime/seal.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { orderTestDelivery } from '../../../store/db/webhooks/order-delivery.ts'
import { updateWebhook } from '../../../store/db/webhooks/update-webhook.ts'
import { addAccount } from '../../store/database.ts'
import { startParts } from '../parts.ts'
import type { Recorder } from './recorder.ts'

/** Short, so that a delivery has used up its attempts in seconds: a history has its gaps from what attempts answer. */
const retryDelaysMs = [300, 500, 700, 900]

/** Records deliveries of the role `workflows` to a receiver that fails. */
export async function recordDeliveries(recorder: Recorder): Promise<void> {
  const receiver = await startReceiver()
  const parts = await startParts({ trustedHosts: [receiver.host], retryDelaysMs })
  const connection = await Connection.connect(parts.config.temporal.server)
  const client = new Client({ connection })

  async function deliver(path: string, meanwhile?: (webhook: Webhook) => Promise<unknown>) {
    const accountId = await addAccount(parts.db)
    const webhookId = randomUUID()
    const secret = seal(
      parts.config.sealKeys,
      `whsec_${Buffer.alloc(32, 'a').toString('base64')}`,
      sealedAs(webhookId),
    )
    const endpoint = { id: webhookId, accountId, url: `http://${receiver.host}${path}` }
    const events = ['render.completed' as const]
    await createWebhook(parts.db, { ...endpoint, events, description: '', secret }, { limit: 1 })
    const happening = sampleHappening('render.completed', new Date().toISOString())
    const webhook = { accountId, webhookId }
    const workflowId = await orderTestDelivery(parts.db, { ...webhook, happening })
    if (workflowId === undefined) throw new Error('No delivery was ordered')
    await receiver.nextHit(path)
    await meanwhile?.(webhook)
    return { workflowId }
  }

  try {
    const holds = ['TIMER_FIRED', 'farm-webhook-retries', 'WORKFLOW_EXECUTION_COMPLETED']
    const retried = await deliver('/third-time')
    await recorder.record(client, 'webhook-delivery-retried', { ...retried, holds })
    const exhausted = await deliver('/never')
    await recorder.record(client, 'webhook-delivery-exhausted', { ...exhausted, holds })
    const disabled = await deliver('/disabled', (webhook) =>
      updateWebhook(parts.db, { ...webhook, change: { status: 'disabled' } }),
    )
    await recorder.record(client, 'webhook-delivery-disabled', { ...disabled, holds })
  } finally {
    await connection.close()
    await parts.stop()
    receiver.stop()
  }
}

type Webhook = { readonly accountId: string; readonly webhookId: string }

/** Answers 500 to all but the third request for `/third-time`. */
async function startReceiver() {
  const hits = new Map<string, number>()
  const first = new Map<string, PromiseWithResolvers<void>>()
  const gate = (path: string) => {
    const found = first.get(path) ?? Promise.withResolvers<void>()
    first.set(path, found)
    return found
  }
  const server = createServer(({ url: path = '' }, reply) => {
    const nth = (hits.get(path) ?? 0) + 1
    hits.set(path, nth)
    reply.writeHead(path === '/third-time' && nth === 3 ? 200 : 500).end()
    gate(path).resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    nextHit: (path: string) => gate(path).promise,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
