import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { TestOrder } from '../../core/webhooks/endpoint.ts'
import { sampleHappening } from '../../core/webhooks/envelope.ts'
import { readTime } from '../../runtime/times.ts'
import type { Db } from '../../store/db/database.ts'
import {
  hasDelivery,
  listAllDeliveries,
  listDeliveries,
  listDeliveriesOfJob,
} from '../../store/db/webhooks/list-deliveries.ts'
import { orderRedelivery, orderTestDelivery } from '../../store/db/webhooks/order-delivery.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader, isBodyless } from '../gateway/body.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import { yearPattern } from '../gateway/times.ts'
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
  event: Type.Optional(deliveryFields.event),
  createdFrom: Type.Optional(
    Type.String({
      ...{ format: 'date-time', pattern: yearPattern, maxLength: 40 },
      title: 'a time of the years 1 to 9999',
    }),
  ),
  jobId: Type.Optional(Type.String({ pattern: `^${uuidPattern}$`, title: 'a UUID' })),
  webhookId: Type.Optional(WebhookParams.properties.id),
  after: Type.Optional(
    Type.String({
      ...{ pattern: `^${uuidPattern}$`, title: 'a UUID' },
      description: 'Value of `next`: the page begins behind this delivery, and `page` must be 1',
    }),
  ),
  ...pageQuery,
})
const AllDeliveries = Type.Object({
  deliveries: Type.Array(AccountDelivery),
  next: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: 'Value of `after` for the following page; null on the last one',
  }),
  ...pageView,
})

/**
 * GET /api/webhooks/deliveries: the log of all endpoints, and of the `webhookUrl` of jobs, newest
 * first.
 */
export function allDeliveriesRoute(server: Server): void {
  const schema = { tags, querystring: AllQuery, response: { 200: AllDeliveries, ...problems } }
  server.get('/api/webhooks/deliveries', { schema, config: webhookAccess }, async (request) => {
    const { accountId } = request.account
    const { status, event, createdFrom, jobId, webhookId: id, after } = request.query
    const page = readPage(request.query)
    const from = readTime('createdFrom', createdFrom)
    if (after !== undefined) await requireAfter(request.db, { accountId, after, ...page })
    const webhook = id === undefined ? undefined : await webhookOf(request.db, { accountId, id })
    const found = await listAllDeliveries(request.db, {
      ...{ accountId, ...page },
      ...(status && { status }),
      ...(event && { event }),
      ...(from && { createdFrom: from }),
      ...(jobId && { jobId: readJobId(jobId) }),
      ...(webhook && { webhookId: webhook.id }),
      ...(after && { after: readUuid(after) }),
    })
    const { deliveries, total } = found
    const next = deliveries.length === page.pageSize ? (deliveries.at(-1)?.id ?? null) : null
    return { deliveries: deliveries.map(showAccountDelivery), next, ...showPage(page, total) }
  })
}

/** @throws FarmError where the account has no such delivery, or the page is named twice */
async function requireAfter(
  db: Db,
  { accountId, after, page }: { accountId: string; after: string; page: number },
): Promise<void> {
  if (page !== 1) {
    const message = `page must be 1 when after is given. Got ${page}`
    throw new FarmError('invalid_value', message, { field: 'page' })
  }
  const deliveryId = readUuid(after)
  if (!(await hasDelivery(db, { accountId, deliveryId }))) throw notThere('delivery', after)
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
