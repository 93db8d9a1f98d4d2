import { Type } from 'typebox'
import { readTime } from '../../runtime/times.ts'
import { redeliverFailed } from '../../store/db/webhooks/redeliver-failed.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import { Timestamp } from '../gateway/times.ts'
import type { Server } from '../gateway/typed-server.ts'
import { WebhookParams } from './webhook-id.ts'
import { webhookAccess, webhookOf } from './webhook-request.ts'

/** Deliveries that one request sends again at most. */
const redeliveredMost = 500

const Order = Type.Object(
  { since: Timestamp, webhookId: Type.Optional(WebhookParams.properties.id) },
  { title: 'a redelivery', additionalProperties: false },
)
const readOrder = bodyReader(Order)

const Redelivered = Type.Object({
  queued: Type.Integer({ description: 'Deliveries that are sent again' }),
  left: Type.Integer({ description: 'Failed ones that remain: send the same request again' }),
  limit: Type.Integer({ description: 'Deliveries that one request sends again at most' }),
})

/**
 * POST /api/webhooks/deliveries/redeliver: all failed deliveries since a time once more, the oldest first.
 * Such requests send each of them at most once, so that they may be repeated.
 */
export function redeliverFailedRoute(server: Server): void {
  const schema = {
    tags: ['webhooks'],
    response: { 200: Redelivered, 400: Problem, 404: Problem },
  }
  const config = { ...webhookAccess, body: Order }
  server.post('/api/webhooks/deliveries/redeliver', { schema, config }, async (request) => {
    const { accountId } = request.account
    const { since: text, webhookId: id } = readOrder(request.body)
    const since = readTime('since', text) ?? new Date(text)
    const webhook = id === undefined ? undefined : await webhookOf(request.db, { accountId, id })
    const sent = await redeliverFailed(request.db, {
      ...{ accountId, since, limit: redeliveredMost },
      ...(webhook && { webhookId: webhook.id }),
    })
    return { ...sent, limit: redeliveredMost }
  })
}
