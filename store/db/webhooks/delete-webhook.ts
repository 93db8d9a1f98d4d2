import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Removes an endpoint with its log. False: the account has no such endpoint.
 *
 * The log goes first, by a statement of its own. An attempt that ends now locks its delivery and
 * then the endpoint; the other order would deadlock with it.
 */
export async function deleteWebhook(
  db: Db,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await sql`
      delete from webhook_deliveries
      where account_id = ${accountId} and webhook_id = ${webhookId}`.execute(tx)
    const { numAffectedRows } = await sql`
      delete from webhooks where account_id = ${accountId} and id = ${webhookId}`.execute(tx)
    return numAffectedRows === 1n
  })
}
