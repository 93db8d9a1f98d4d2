import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A relay that died is followed by another after so long. */
const claimSeconds = 10
/** A delivery that should have been tried so long ago has lost its workflow. */
const lostMinutes = 10
/** Workflows that one endpoint, or one account, has open: what a dead one can hold at most. */
export const openOfTarget = 20
export const openOfAccount = 60
/** Any number: of the lock under which they are counted. */
const lock = 7_200_417

/**
 * Claims deliveries to start workflows for: an endpoint's oldest first, and of all endpoints the
 * least busy ones, never beyond what an endpoint and an account may have open. What stays behind
 * costs nothing but its row, so a dead endpoint with ten thousand deliveries occupies twenty
 * workflows, and the twenty oldest, which are those that disable it.
 *
 * A delivery is started at least once; one that is not marked as started comes back when its claim
 * is over. The lock makes relays count one after the other.
 *
 * Instead of: starting all at once and letting the activities wait for a turn, which is ten thousand
 * workflows that ask Temporal for it again and again (decision 0017).
 */
export async function takeDeliveries(
  db: Db,
  { limit }: { limit: number },
): Promise<readonly string[]> {
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${lock})`.execute(tx)
    const { rows } = await sql<{ id: string }>`
      with pending as (
        select id, account_id, target, created_at,
          coalesce(claimed_until > now(), false) or coalesce(greatest(started_at, next_attempt_at)
            > now() - make_interval(mins => ${lostMinutes}) and started_at is not null, false)
            as is_open
        from webhook_deliveries where status = 'pending'
      ), placed as (
        select id, account_id, created_at, is_open,
          row_number() over (
            partition by account_id, target order by is_open desc, created_at, id
          ) as place
        from pending
      ), allowed as (
        select id, created_at, place, is_open,
          row_number() over (
            partition by account_id order by is_open desc, place, created_at, id
          ) as account_place
        from placed where place <= ${openOfTarget} or is_open
      ), chosen as (
        select id from allowed where not is_open and account_place <= ${openOfAccount}
        order by place, created_at, id limit ${limit}
      )
      update webhook_deliveries set claimed_until = now() + make_interval(secs => ${claimSeconds})
      from chosen where webhook_deliveries.id = chosen.id and status = 'pending'
      returning webhook_deliveries.id`.execute(tx)
    return rows.map(({ id }) => id)
  })
}

/** Temporal has taken the workflows of these deliveries. */
export async function markDeliveriesStarted(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update webhook_deliveries set started_at = now(), claimed_until = null
    where id = any(${ids}::uuid[])`.execute(db)
}
