import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { NewWebhook, sealedAs } from '../../core/webhooks/endpoint.ts'
import { seal } from '../../runtime/seal.ts'
import { createWebhook } from '../../store/db/webhooks/create-webhook.ts'
import { listWebhooks, type WebhookView } from '../../store/db/webhooks/list-webhooks.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { pageOf, pageView, wholeQuery } from '../gateway/paging.ts'
import { Problem, ProblemError } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { webhookIdOf } from './webhook-id.ts'
import { makeSecret, webhookAccess, webhookOf } from './webhook-request.ts'
import { showWebhook, Webhook, WebhookWithSecret } from './webhook-view.ts'

const readNewWebhook = bodyReader(NewWebhook)

const Webhooks = Type.Object({
  webhooks: Type.Array(Webhook),
  ...pageView,
  usage: Type.Object({
    used: Type.Integer(),
    limit: Type.Integer({ description: 'Endpoints that the plan allows' }),
  }),
})

/** GET /api/webhooks: the account's endpoints, oldest first. POST: a new one, with its secret. */
export function webhooksRoutes(server: Server, context: ApiContext): void {
  const { sealKeys, trustedHosts } = context
  const about = { tags: ['webhooks'] }
  const listing = {
    ...about,
    querystring: Type.Object(wholeQuery),
    response: { 200: Webhooks, 400: Problem },
  }
  server.get('/api/webhooks', { schema: listing, config: webhookAccess }, async (request) => {
    const { accountId, limits } = request.account
    const webhooks = await listWebhooks(request.db, accountId)
    const usage = { used: webhooks.length, limit: limits.webhooks }
    const { items, ...page } = pageOf(webhooks, request.query)
    return { webhooks: items.map(showWebhook), ...page, usage }
  })
  const making = {
    ...about,
    response: {
      201: WebhookWithSecret,
      400: Problem,
      422: Problem,
    },
  }
  server.post(
    '/api/webhooks',
    { schema: making, config: { ...webhookAccess, body: NewWebhook, showsSecret: true } },
    async (request, reply) => {
      const { accountId, limits } = request.account
      const wanted = readNewWebhook(request.body, { trustedHosts })
      const id = randomUUID()
      const secret = makeSecret()
      const sealed = seal(sealKeys, secret, sealedAs(id))
      const events = [...new Set(wanted.events)]
      const publicId = webhookIdOf(id)
      const stored = {
        ...{ description: '', ...wanted, events, id, publicId, accountId },
        secret: sealed,
      }
      if (!(await createWebhook(request.db, stored, { limit: limits.webhooks }))) {
        const message = `An account must have <= ${limits.webhooks} webhooks on this plan. Got one more`
        throw new ProblemError('plan_limit', message, { extra: { planLimits: { ...limits } } })
      }
      reply.code(201)
      const all = await listWebhooks(request.db, accountId)
      const warnings = warnOfDuplicates(all, { id, url: wanted.url, events })
      return {
        ...showWebhook(await webhookOf(request.db, { accountId, id })),
        ...{ secret, ...(warnings.length > 0 && { warnings }) },
      }
    },
  )
}

/**
 * Warns of endpoints that get the same events at the same address. They are allowed, since their
 * events may differ; but a receiver that verifies with one secret finds every second signature
 * wrong.
 */
function warnOfDuplicates(
  all: readonly WebhookView[],
  { id, url, events }: Pick<WebhookView, 'id' | 'url' | 'events'>,
) {
  const isDuplicate = (other: WebhookView) =>
    other.id !== id &&
    other.status === 'active' &&
    sameAddress(other.url, url) &&
    other.events.some((event) => events.includes(event))
  return all.filter(isDuplicate).map((other) => ({
    ...{ field: 'url', pointer: '/url' },
    code: 'url_registered_twice',
    message: `The webhook ${other.publicId ?? other.id} has the same url and shares events: each shared event is delivered twice, signed with two secrets.`,
  }))
}

function sameAddress(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href
}
