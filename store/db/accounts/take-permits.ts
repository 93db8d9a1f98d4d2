import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

/**
 * Requests that may be served now, the rest that the minute leaves for others, and the time to its
 * end.
 */
export type Permits = {
  readonly granted: number
  readonly left: number
  readonly secondsLeft: number
}

/**
 * Takes up to `want` of a subject's `limit` requests a minute, or a day. All replicas take from one
 * row, whose lock serializes them, so together they never exceed the limit. The database's clock
 * decides the minute, and the day (UTC).
 */
export async function takePermits(
  db: Db,
  {
    subject,
    limit,
    want,
    per = 'minute',
  }: { subject: string; limit: number; want: number; per?: 'minute' | 'day' },
): Promise<Permits> {
  const { rows } = await sql<Permits>`
    ${prepared('take-permits')} insert into rate_windows as w (subject, minute, used, granted)
    values (${subject}, date_trunc(${per}::text, clock_timestamp(), 'UTC'),
      least(${want}::int, ${limit}::int), least(${want}::int, ${limit}::int))
    on conflict (subject) do update set
      minute = greatest(w.minute, excluded.minute),
      granted = least(excluded.granted,
        greatest(0, ${limit}::int - case when w.minute < excluded.minute then 0 else w.used end)),
      used = case when w.minute < excluded.minute then 0 else w.used end
        + least(excluded.granted,
          greatest(0, ${limit}::int - case when w.minute < excluded.minute then 0 else w.used end))
    returning granted, greatest(0, ${limit}::int - used) as left,
      extract(epoch from minute + ('1 ' || ${per}::text)::interval - clock_timestamp())::float8 as "secondsLeft"`.execute(
    db,
  )
  const [permits] = rows
  if (!permits) throw new Error('Taking permits answers one row')
  return { ...permits, secondsLeft: Math.max(0, permits.secondsLeft) }
}
