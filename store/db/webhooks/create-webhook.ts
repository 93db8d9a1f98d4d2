import { sql } from 'kysely'
import type { WebhookEvent } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'

export type StoredWebhook = {
  readonly id: string
  /** Public id. */
  readonly publicId?: string
  readonly accountId: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly description: string
  /** Sealed (runtime/seal.ts). */
  readonly secret: string
}

/**
 * Creates an endpoint, unless the account has `limit` of them. False: it has.
 *
 * The account's row is locked first, so that the second of two concurrent submissions counts the
 * first one's endpoint. A count inside the inserting statement alone would miss it.
 */
export async function createWebhook(
  db: Db,
  { id, publicId, accountId, url, events, description, secret }: StoredWebhook,
  { limit }: { limit: number },
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
    const { numAffectedRows } = await sql`
      insert into webhooks (id, public_id, account_id, url, events, description, secret)
      select ${id}, ${publicId ?? null}, ${accountId}, ${url}, ${events}::text[], ${description}, ${secret}
      where (select count(*) from webhooks where account_id = ${accountId}) < ${limit}`.execute(tx)
    return numAffectedRows === 1n
  })
}
