import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Use of an account on a day (UTC, `2026-01-31`), by the jobs that ended then. */
export type CreditDay = {
  readonly date: string
  readonly jobs: number
  readonly completed: number
  readonly credits: number
  /** Seconds of finished film. */
  readonly seconds: number
}

/** The last `days` days on which a job ended, newest first. */
export async function listCreditDays(
  db: Db,
  { accountId, days }: { accountId: string; days: number },
): Promise<readonly CreditDay[]> {
  const { rows } = await sql<CreditDay>`
    select to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD') as date, count(*) as jobs,
      count(*) filter (where state = 'completed') as completed,
      sum(credits_charged)::bigint as credits,
      coalesce(sum((result ->> 'duration')::double precision), 0) as seconds
    from jobs
    where account_id = ${accountId} and finished_at >= (
      (now() at time zone 'UTC')::date - ${days - 1}::integer
    )::timestamp at time zone 'UTC'
    group by 1 order by 1 desc`.execute(db)
  return rows
}
