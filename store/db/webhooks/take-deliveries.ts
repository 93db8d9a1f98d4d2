import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Time after which another relay takes over from one that died. */
const claimSeconds = 10
/** Delay after which a due delivery counts as having lost its workflow. */
const lostMinutes = 10

/**
 * Limits of first attempts in flight, for one endpoint and one account. A delivery that sleeps
 * until its retry does not count.
 */
export const inFlightOfTarget = 20
export const inFlightOfAccount = 60
/**
 * An endpoint below `inFlightAlways` may exceed the account's `inFlightOfAccount`, up to
 * `inFlightAtMost`.
 */
export const inFlightAlways = 2
const inFlightAtMost = 200

/**
 * Limits of open workflows, including sleeping ones: of one endpoint (and as many for its test
 * events), one account, the farm.
 */
export const openOfTarget = 20
const openOfAccount = 2_000
const openOfFarm = 20_000

/** Any unused number, for the lock under which they are counted. */
const lock = 7_200_417

/**
 * Claims deliveries whose workflows are to be started and make their first attempt at once. Order:
 * the endpoint with the fewest first attempts in flight, then the account with the fewest, then
 * age.
 *
 * Only attempts in flight take places that another endpoint could use; a delivery that sleeps
 * before its retry counts against its own endpoint alone (`openOfTarget`). An endpoint is a
 * webhook, or the address of a job's `webhookUrl` without its query. A delivery left behind costs
 * its row. So a dead endpoint with ten thousand deliveries has only its twenty oldest open, which
 * are those that disable it.
 *
 * A delivery is started at least once; one that is not marked as started returns when its claim is
 * over. The lock serializes the relays' counts (decisions 0017, 0081).
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

/**
 * Claimed, or started and not lost: its workflow makes an attempt, or sleeps until the next one.
 */
const isOpen = sql`(coalesce(claimed_until > now(), false) or coalesce(
  greatest(started_at, next_attempt_at) > now() - make_interval(mins => ${sql.lit(lostMinutes)})
    and started_at is not null, false))`

/** Records that Temporal has accepted the workflows of these deliveries. */
export async function markDeliveriesStarted(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update webhook_deliveries set started_at = now(), claimed_until = null
    where id = any(${ids}::uuid[])`.execute(db)
}
