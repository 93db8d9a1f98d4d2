import { type RawBuilder, sql } from 'kysely'
import type { WebhookStatus } from '../../../core/webhooks/endpoint.ts'
import type { WebhookEvent } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'

/** An endpoint as its owner sees it: never with a secret. */
export type WebhookView = {
  readonly id: string
  /** Public id; null: it shows `id`. */
  readonly publicId: string | null
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly description: string
  readonly status: WebhookStatus
  /** Deliveries in a row that used up their attempts. */
  readonly exhaustedInRow: number
  /** Time until which the secret before the last rotation signs as well. */
  readonly previousSecretUntil: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Lists all endpoints of an account, oldest first. */
export async function listWebhooks(db: Db, accountId: string): Promise<readonly WebhookView[]> {
  return await readWebhooks(db, sql`account_id = ${accountId}`)
}

/** Finds an endpoint; undefined: the account has none of this id. */
export async function getWebhook(
  db: Db,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<WebhookView | undefined> {
  const [found] = await readWebhooks(db, sql`account_id = ${accountId} and id = ${webhookId}`)
  return found
}

/** Finds an endpoint by its public id. */
export async function findWebhook(
  db: Db,
  { accountId, publicId }: { accountId: string; publicId: string },
): Promise<WebhookView | undefined> {
  const condition = sql`account_id = ${accountId} and public_id = ${publicId}`
  const [found] = await readWebhooks(db, condition)
  return found
}

async function readWebhooks(db: Db, condition: RawBuilder<unknown>): Promise<WebhookView[]> {
  const { rows } = await sql<WebhookView>`
    select id, public_id as "publicId", url, events, description, status, exhausted_in_row as "exhaustedInRow",
      case when previous_secret_until > now() then previous_secret_until end
        as "previousSecretUntil",
      created_at as "createdAt", updated_at as "updatedAt"
    from webhooks where ${condition} order by created_at, id`.execute(db)
  return rows
}
