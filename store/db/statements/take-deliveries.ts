import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A relay that died is followed by another after so long. */
const claimSeconds = 10
/** A delivery that should have been tried so long ago has lost its workflow. */
const lostMinutes = 10

/** First attempts in flight: of one endpoint, and of one account. A delivery that sleeps until its retry is none. */
export const inFlightOfTarget = 20
export const inFlightOfAccount = 60
/** An endpoint with fewer in flight goes although its account has `inFlightOfAccount`, up to `inFlightAtMost`. */
export const inFlightAlways = 2
const inFlightAtMost = 200

/** Workflows open, with those that sleep: of one endpoint (and as many for its test events), one account, the farm. */
export const openOfTarget = 20
const openOfAccount = 2_000
const openOfFarm = 20_000

/** Any number: of the lock under which they are counted. */
const lock = 7_200_417

/**
 * Claims deliveries to start workflows for, whose first attempt is made at once. The endpoint with
 * the fewest first attempts in flight goes first, then the account with the fewest, then the oldest.
 *
 * Only attempts in flight hold a place that another endpoint could want: a delivery that sleeps
 * before its retry counts against its own endpoint alone (`openOfTarget`). An endpoint is a webhook,
 * or the address of a job's `webhookUrl` without its query. What stays behind costs its row, so a
 * dead endpoint with ten thousand deliveries has its twenty oldest open, which are those that disable it.
 *
 * A delivery is started at least once; one that is not marked as started comes back when its claim
 * is over. The lock makes relays count one after the other (decisions 0017, 0081).
 */
export async function takeDeliveries(
  db: Db,
  {
    limit,
    maxInFlight,
  }: {
    limit: number
    /** First attempts that the farm's processes make at once. */
    maxInFlight: number
  },
): Promise<readonly string[]> {
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${lock})`.execute(tx)
    const { rows } = await sql<{ id: string }>`
      with pending as (
        select id, account_id, created_at, test, webhook_id is not null as is_registered,
          coalesce(webhook_id::text, split_part(url, '?', 1)) as endpoint,
          attempts = '[]' as is_first, ${isOpen} as is_open
        from webhook_deliveries where status = 'pending'
      ), counted as (
        select *, is_open and is_first as in_flight,
          row_number() over (
            partition by account_id, endpoint, test order by is_open desc, created_at, id
          ) as open_place,
          count(*) filter (where is_open) over (partition by account_id) as account_open,
          count(*) filter (where is_open) over () as farm_open,
          count(*) filter (where is_open and is_first) over () as farm_in_flight
        from pending
      ), wanted as (
        select *,
          row_number() over (
            partition by account_id, endpoint order by in_flight desc, test desc, created_at, id
          ) as place
        from counted
        where in_flight or not is_open and open_place <= ${openOfTarget}
          and (account_open < ${openOfAccount} or is_registered and open_place = 1)
          and (farm_open < ${openOfFarm} or open_place = 1)
      ), ranked as (
        select *,
          row_number() over (
            partition by account_id order by in_flight desc, place, created_at, id
          ) as account_place
        from wanted where in_flight or place <= ${inFlightOfTarget}
      ), chosen as (
        select id from ranked
        where not in_flight and (account_place <= ${inFlightOfAccount}
          or place <= ${inFlightAlways} and account_place <= ${inFlightAtMost})
        order by place, account_place, created_at, id
        limit (select least(${limit}, greatest(0, ${maxInFlight} - max(farm_in_flight))) from counted)
      )
      update webhook_deliveries set claimed_until = now() + make_interval(secs => ${claimSeconds})
      from chosen where webhook_deliveries.id = chosen.id and status = 'pending'
      returning webhook_deliveries.id`.execute(tx)
    return rows.map(({ id }) => id)
  })
}

/** Claimed, or started and not lost: its workflow makes an attempt, or sleeps until the next one. */
const isOpen = sql`(coalesce(claimed_until > now(), false) or coalesce(
  greatest(started_at, next_attempt_at) > now() - make_interval(mins => ${sql.lit(lostMinutes)})
    and started_at is not null, false))`

/** Temporal has taken the workflows of these deliveries. */
export async function markDeliveriesStarted(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update webhook_deliveries set started_at = now(), claimed_until = null
    where id = any(${ids}::uuid[])`.execute(db)
}
