import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A request under an Idempotency-Key: its sender, route and body. */
export type KeyedRequest = {
  readonly accountId: string
  readonly route: string
  readonly key: string
  /** Hash of all that must be equal when it is repeated: sender and body. */
  readonly bodySha256: Buffer
}

/** `taken`: the caller answers the request now, as the act `id`, within the claim's time. */
export type TakenKey =
  | {
      readonly outcome: 'taken'
      readonly id: string
      /** It was taken before and never answered. */
      readonly isResumed: boolean
    }
  | {
      readonly outcome: 'answered'
      readonly id: string
      readonly status: number
      readonly contentType: string | null
      readonly answer: string
    }
  | { readonly outcome: 'in-flight' }
  | { readonly outcome: 'other-body' }

/**
 * Longer than any answer takes (database.ts ends each statement); then its process counts as dead.
 */
const claimSeconds = 60
/** Hours for which an answer is repeated. */
const retentionHours = 24

/**
 * Takes a key for a request, or answers why it cannot. An unfinished act, whose process died or
 * failed, is taken over under its id: its results are not created again.
 */
export async function takeIdempotencyKey(
  db: Db,
  { newId, ...request }: KeyedRequest & { newId: string },
): Promise<TakenKey> {
  const { accountId, route, key, bodySha256 } = request
  const { rows } = await sql<{ id: string }>`
    insert into idempotency_keys as known
      (account_id, route, key, id, body_sha256, claimed_until)
    values (${accountId}, ${route}, ${key}, ${newId}, ${bodySha256},
      now() + make_interval(secs => ${claimSeconds}))
    on conflict (account_id, route, key) do update set
      id = case when ${isOld} then excluded.id else known.id end,
      created_at = case when ${isOld} then now() else known.created_at end,
      body_sha256 = excluded.body_sha256, claimed_until = excluded.claimed_until,
      status = null, content_type = null, answer = null
    where ${isOld} or (known.status is null and known.claimed_until <= now()
      and known.body_sha256 = excluded.body_sha256)
    returning id`.execute(db)
  const [row] = rows
  if (!row) return await whyNot(db, request)
  return { outcome: 'taken', id: row.id, isResumed: row.id !== newId }
}

const isOld = sql`known.created_at < now() - make_interval(hours => ${sql.lit(retentionHours)})`

async function whyNot(db: Db, request: KeyedRequest): Promise<TakenKey> {
  const known = await db
    .selectFrom('idempotency_keys')
    .select(['id', 'body_sha256', 'status', 'content_type', 'answer'])
    .where('account_id', '=', request.accountId)
    .where('route', '=', request.route)
    .where('key', '=', request.key)
    .executeTakeFirst()
  // Removed in between: the caller asks again.
  if (known === undefined) return { outcome: 'in-flight' }
  if (!known.body_sha256.equals(request.bodySha256)) return { outcome: 'other-body' }
  const { id, status, content_type: contentType, answer } = known
  if (status === null || answer === null) return { outcome: 'in-flight' }
  return { outcome: 'answered', id, status, contentType, answer }
}

/** Removes up to `limit` expired keys. @returns how many were removed */
export async function removeOldKeys(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys
      where created_at < now() - make_interval(hours => ${retentionHours})
      order by created_at limit ${limit} for update skip locked
    )`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
