import { randomBytes } from 'node:crypto'
import { FarmError } from '../../core/errors.ts'
import { secretPrefix } from '../../core/webhooks/signature.ts'
import type { Db } from '../../store/db/database.ts'
import { findWebhook, getWebhook, type WebhookView } from '../../store/db/webhooks/list-webhooks.ts'
import { readUuid } from '../gateway/uuid.ts'

/** Access rule of every webhook route. */
export const webhookAccess = { credentials: ['key', 'session'], scope: 'webhooks' } as const

/** Standard Webhooks recommends 24 to 64 bytes. */
const secretBytes = 32

/** Makes a new endpoint's secret; the only copy in the clear is the answer that shows it. */
export function makeSecret(): string {
  return `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`
}

/**
 * Finds the account's endpoint, by its public id or its UUID. @throws FarmError not_found, also for
 * one of another account
 */
export async function webhookOf(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
): Promise<WebhookView> {
  const webhook = id.startsWith('whk_')
    ? await findWebhook(db, { accountId, publicId: id })
    : await getWebhook(db, { accountId, webhookId: readUuid(id) })
  if (!webhook) throw notThere('webhook', id)
  return webhook
}

export function notThere(what: 'webhook' | 'delivery', id: string): FarmError {
  return new FarmError('not_found', `The account must have a ${what} with this id. Got ${id}`)
}

export function isDisabled(): FarmError {
  return new FarmError(
    'conflict',
    'The endpoint must be active to receive deliveries. Got disabled',
  )
}
