import { sql } from 'kysely'
import { alerts, type Finding } from '../../../core/alerts/findings.ts'
import { type Db, inTransaction } from '../database.ts'

/** Any number that no other lock uses. */
const lockNumber = 7_353_189
/** A fault must be gone for this long before its alert ends, so that a flapping one is one alert. */
const goneSeconds = 60
/** Ended alerts and sent notices stay this long. */
const keptDays = 30

/**
 * Keeps the alerts of faults found now: begins those that are new, raises those that last long enough,
 * ends those that are gone, and writes a notice of each to every receiver that wants it. One process
 * at a time does it; another's call does nothing meanwhile.
 */
export async function keepAlerts(db: Db, find: (tx: Db) => Promise<readonly Finding[]>) {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${lockNumber}) as mine`.execute(tx)
    if (!rows[0]?.mine) return
    await begin(tx, await find(tx))
    await raise(tx)
    await end(tx)
    await forget(tx)
  })
}

async function begin(tx: Db, found: readonly Finding[]): Promise<void> {
  await sql`
    insert into alerts (alert, place, severity, words)
    select distinct on (1, 2) * from unnest(${found.map(({ alert }) => alert)}::text[],
      ${found.map(({ where }) => where)}::text[],
      ${found.map(({ alert }) => alerts[alert].severity)}::text[],
      ${found.map(({ words }) => words)}::text[])
    on conflict (alert, place) where ended_at is null
      do update set words = excluded.words, seen_at = now()`.execute(tx)
}

async function raise(tx: Db): Promise<void> {
  const names = Object.keys(alerts)
  await sql`
    with lasting as (
      select * from unnest(${names}::text[],
        ${Object.values(alerts).map(({ afterSeconds }) => afterSeconds)}::int[])
        as lasting (alert, seconds)
    ), raised as (
      update alerts a set raised_at = now() from lasting l
      where l.alert = a.alert and a.raised_at is null and a.ended_at is null
        and a.seen_at = now() and a.found_at <= now() - l.seconds * interval '1 second'
      returning a.*
    ) ${noticesOf('raised')}`.execute(tx)
}

async function end(tx: Db): Promise<void> {
  const isGone = sql`ended_at is null and seen_at < now() - ${goneSeconds} * interval '1 second'`
  await sql`delete from alerts where raised_at is null and ${isGone}`.execute(tx)
  await sql`
    with ended as (
      update alerts set ended_at = now() where ${isGone} returning *
    ) ${noticesOf('ended')}`.execute(tx)
}

/** Statement's end: writes a notice of each row of the table `state` to every receiver that wants it. */
const noticesOf = (state: 'raised' | 'ended') => sql`
  insert into notices (receiver_id, alert_id, state, alert, severity, words)
  select r.id, a.id, ${sql.lit(state)}, a.alert, a.severity, a.words
  from ${sql.table(state)} a join notice_receivers r on a.severity = 'page' or not r.only_pages
  order by a.found_at, a.id`

async function forget(tx: Db): Promise<void> {
  const old = sql`now() - ${keptDays} * interval '1 day'`
  await sql`delete from alerts where ended_at < ${old}`.execute(tx)
  await sql`delete from notices where next_at is null and created_at < ${old}`.execute(tx)
}
