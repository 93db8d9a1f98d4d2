import { sql } from 'kysely'
import { rotationHours } from '../../../core/webhooks/schedule.ts'
import type { Db } from '../database.ts'

/**
 * Replaces a secret by a new (sealed) one; the previous one signs beside it for a day. An older one
 * still in that day is dropped. False: the account has no such endpoint.
 */
export async function rotateWebhookSecret(
  db: Db,
  { accountId, webhookId, secret }: { accountId: string; webhookId: string; secret: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhooks set secret = ${secret}, previous_secret = secret,
      previous_secret_until = now() + make_interval(hours => ${rotationHours}),
      updated_at = now()
    where account_id = ${accountId} and id = ${webhookId}`.execute(db)
  return numAffectedRows === 1n
}
