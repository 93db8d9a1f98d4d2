import { Type } from 'typebox'
import { sealedAs, WebhookChange } from '../../core/webhooks/endpoint.ts'
import { seal } from '../../runtime/seal.ts'
import { deleteWebhook } from '../../store/db/webhooks/delete-webhook.ts'
import { rotateWebhookSecret } from '../../store/db/webhooks/rotate-webhook-secret.ts'
import { updateWebhook } from '../../store/db/webhooks/update-webhook.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { WebhookParams } from './webhook-id.ts'
import { makeSecret, notThere, webhookAccess, webhookOf } from './webhook-request.ts'
import { showWebhook, Webhook, WebhookWithSecret } from './webhook-view.ts'

const readChange = bodyReader(WebhookChange)

const about = { tags: ['webhooks'], params: WebhookParams }
const problems = { 400: Problem, 404: Problem }

/** GET, PUT and DELETE /api/webhooks/{id}. */
export function webhookRoutes(server: Server, { trustedHosts }: ApiContext): void {
  const path = '/api/webhooks/:id'
  const showing = { ...about, response: { 200: Type.Object({ webhook: Webhook }), ...problems } }
  server.get(path, { schema: showing, config: webhookAccess }, async (request) => {
    const { accountId } = request.account
    const webhook = await webhookOf(request.db, { accountId, id: request.params.id })
    return { webhook: showWebhook(webhook) }
  })
  const changing = {
    ...about,
    response: { 200: Webhook, ...problems },
  }
  server.put(
    path,
    { schema: changing, config: { ...webhookAccess, body: WebhookChange } },
    async (request) => {
      const { accountId } = request.account
      const change = readChange(request.body, { trustedHosts })
      const { id: webhookId } = await webhookOf(request.db, { accountId, id: request.params.id })
      if (!(await updateWebhook(request.db, { accountId, webhookId, change }))) {
        throw notThere('webhook', webhookId)
      }
      return showWebhook(await webhookOf(request.db, { accountId, id: webhookId }))
    },
  )
  const deleting = {
    ...about,
    response: { 200: Type.Object({ deleted: Type.Literal(true) }), ...problems },
  }
  server.delete(path, { schema: deleting, config: webhookAccess }, async (request) => {
    const { accountId } = request.account
    const { id: webhookId } = await webhookOf(request.db, { accountId, id: request.params.id })
    if (!(await deleteWebhook(request.db, { accountId, webhookId })))
      throw notThere('webhook', webhookId)
    return { deleted: true as const }
  })
}

/**
 * POST /api/webhooks/{id}/rotate-secret: a new secret; the old one signs beside it for 24 hours.
 */
export function rotateSecretRoute(server: Server, { sealKeys }: ApiContext): void {
  const schema = { ...about, response: { 200: WebhookWithSecret, ...problems } }
  server.post(
    '/api/webhooks/:id/rotate-secret',
    { schema, config: { ...webhookAccess, showsSecret: true } },
    async (request) => {
      const { accountId } = request.account
      const { id: webhookId } = await webhookOf(request.db, { accountId, id: request.params.id })
      const secret = makeSecret()
      const sealed = seal(sealKeys, secret, sealedAs(webhookId))
      if (!(await rotateWebhookSecret(request.db, { accountId, webhookId, secret: sealed }))) {
        throw notThere('webhook', webhookId)
      }
      return { ...showWebhook(await webhookOf(request.db, { accountId, id: webhookId })), secret }
    },
  )
}
