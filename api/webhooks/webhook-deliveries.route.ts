import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { TestOrder } from '../../core/webhooks/endpoint.ts'
import { sampleHappening } from '../../core/webhooks/envelope.ts'
import {
  listAllDeliveries,
  listDeliveries,
  listDeliveriesOfJob,
} from '../../store/db/webhooks/list-deliveries.ts'
import { orderRedelivery, orderTestDelivery } from '../../store/db/webhooks/order-delivery.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader, isBodyless } from '../gateway/body.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { IdParams, readUuid, uuidPattern } from '../gateway/uuid.ts'
import { JobParams, jobNotFound, readJobId } from '../jobs/job-id.ts'
import { WebhookParams } from './webhook-id.ts'
import { isDisabled, notThere, webhookAccess, webhookOf } from './webhook-request.ts'
import {
  AccountDelivery,
  Delivery,
  deliveryFields,
  JobDelivery,
  Queued,
  showAccountDelivery,
  showDelivery,
  showJobDelivery,
} from './webhook-view.ts'

const readOrder = bodyReader(TestOrder)

const Query = Type.Object(pageQuery)

const Deliveries = Type.Object({
  deliveries: Type.Array(Delivery),
  ...pageView,
})

const JobDeliveries = Type.Object({ deliveries: Type.Array(JobDelivery), ...pageView })

const tags = ['webhooks']
const about = { tags, params: WebhookParams }
const problems = { 400: Problem, 404: Problem }

/** GET /api/webhooks/{id}/deliveries: the log of an endpoint, newest first, kept for 30 days. */
export function deliveriesRoute(server: Server): void {
  const schema = { ...about, querystring: Query, response: { 200: Deliveries, ...problems } }
  server.get('/api/webhooks/:id/deliveries', { schema, config: webhookAccess }, async (request) => {
    const { accountId } = request.account
    const page = readPage(request.query)
    const { id: webhookId } = await webhookOf(request.db, { accountId, id: request.params.id })
    const found = await listDeliveries(request.db, { accountId, webhookId, ...page })
    return { deliveries: found.deliveries.map(showDelivery), ...showPage(page, found.total) }
  })
}

const AllQuery = Type.Object({
  status: Type.Optional(deliveryFields.status),
  jobId: Type.Optional(Type.String({ pattern: `^${uuidPattern}$`, title: 'a UUID' })),
  webhookId: Type.Optional(WebhookParams.properties.id),
  ...pageQuery,
})
const AllDeliveries = Type.Object({ deliveries: Type.Array(AccountDelivery), ...pageView })

/**
 * GET /api/webhooks/deliveries: the log of all endpoints, and of the `webhookUrl` of jobs, newest
 * first.
 */
export function allDeliveriesRoute(server: Server): void {
  const schema = { tags, querystring: AllQuery, response: { 200: AllDeliveries, ...problems } }
  server.get('/api/webhooks/deliveries', { schema, config: webhookAccess }, async (request) => {
    const { accountId } = request.account
    const { status, jobId, webhookId: id } = request.query
    const page = readPage(request.query)
    const webhook = id === undefined ? undefined : await webhookOf(request.db, { accountId, id })
    const found = await listAllDeliveries(request.db, {
      ...{ accountId, ...page },
      ...(status && { status }),
      ...(jobId && { jobId: readJobId(jobId) }),
      ...(webhook && { webhookId: webhook.id }),
    })
    return { deliveries: found.deliveries.map(showAccountDelivery), ...showPage(page, found.total) }
  })
}

/**
 * GET /api/jobs/{id}/deliveries: all deliveries of a job's end, to endpoints and to its own
 * `webhookUrl`, newest first.
 */
export function jobDeliveriesRoute(server: Server, { jobReader }: ApiContext): void {
  const schema = {
    ...{ tags: ['jobs'], params: JobParams, querystring: Query },
    response: { 200: JobDeliveries, ...problems },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs/:id/deliveries', { schema, config }, async (request) => {
    const { accountId } = request.account
    const jobId = readJobId(request.params.id)
    const page = readPage(request.query)
    if (!(await jobReader.read({ accountId, jobId }))) throw jobNotFound(jobId)
    const found = await listDeliveriesOfJob(request.db, { accountId, jobId, ...page })
    return { deliveries: found.deliveries.map(showJobDelivery), ...showPage(page, found.total) }
  })
}

/**
 * POST /api/webhooks/{id}/test: sends a sample event, flagged `test`, through the same steps as a
 * real one. Without a body it is a `render.completed`.
 */
export function testWebhookRoute(server: Server): void {
  const schema = {
    ...about,
    response: { 200: Queued, ...problems, 409: Problem },
  }
  server.post(
    '/api/webhooks/:id/test',
    { schema, config: { ...webhookAccess, body: TestOrder, isBodyOptional: true } },
    async (request) => {
      const { accountId } = request.account
      const { id: webhookId } = await webhookOf(request.db, { accountId, id: request.params.id })
      const { body } = request
      const { event = 'render.completed' } = isBodyless(body) ? {} : readOrder(body)
      const happening = sampleHappening(event, new Date().toISOString())
      const act = request.idempotency && { id: request.idempotency.id }
      const order = { accountId, webhookId, happening, ...act }
      const deliveryId = await orderTestDelivery(request.db, order)
      if (deliveryId === undefined) throw isDisabled()
      return { queued: true as const, deliveryId }
    },
  )
}

/**
 * POST /api/webhooks/deliveries/{id}/redeliver: the same bytes once more, as a new delivery with
 * five attempts of its own.
 */
export function redeliverRoute(server: Server): void {
  const schema = {
    ...{ tags, params: IdParams },
    response: { 200: Queued, ...problems, 409: Problem },
  }
  server.post(
    '/api/webhooks/deliveries/:id/redeliver',
    { schema, config: webhookAccess },
    async (request) => {
      const { accountId } = request.account
      const deliveryId = readUuid(request.params.id)
      const act = request.idempotency && { id: request.idempotency.id }
      const ordered = await orderRedelivery(request.db, { accountId, deliveryId, ...act })
      if (ordered === undefined) throw notThere('delivery', deliveryId)
      if (ordered.id !== null) return { queued: true as const, deliveryId: ordered.id }
      if (ordered.status !== 'pending') throw isDisabled()
      const message = 'The delivery must have ended to be sent again. Got pending'
      throw new FarmError('conflict', message)
    },
  )
}
