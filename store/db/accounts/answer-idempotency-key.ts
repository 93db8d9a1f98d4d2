import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { KeyedRequest } from './take-idempotency-key.ts'

/**
 * Stores the answer to a request under a key. Without an answer it releases the key, so that a
 * retry need not wait for the claim's end.
 */
export async function answerIdempotencyKey(
  db: Db,
  {
    accountId,
    route,
    key,
    id,
    answer,
  }: KeyedRequest & {
    id: string
    answer?: { status: number; contentType: string | null; sealed: string }
  },
): Promise<void> {
  await sql`
    update idempotency_keys set claimed_until = now(), status = ${answer?.status ?? null},
      content_type = ${answer?.contentType ?? null}, answer = ${answer?.sealed ?? null}
    where account_id = ${accountId} and route = ${route} and key = ${key}
      and id = ${id} and status is null`.execute(db)
}
