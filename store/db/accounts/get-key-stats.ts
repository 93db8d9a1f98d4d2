import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Use of a key on a day (UTC, `2026-01-31`). Days without use are left out. */
export type KeyDay = {
  readonly date: string
  readonly requests: number
  readonly jobs: number
  /** Charged so far for the jobs submitted that day. */
  readonly credits: number
}

/** The last `days` days of a key, newest first; undefined: the account has no such key. */
export async function getKeyStats(
  db: Db,
  { accountId, keyId, days }: { accountId: string; keyId: string; days: number },
): Promise<readonly KeyDay[] | undefined> {
  const known = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!known) return undefined
  const { rows } = await sql<KeyDay>`
    with since as (
      select (now() at time zone 'UTC')::date - ${days - 1}::integer as day
    ), asked as (
      select day, requests from api_key_usage
      where key_id = ${keyId} and account_id = ${accountId} and day >= (select day from since)
    ), submitted as (
      select (created_at at time zone 'UTC')::date as day, count(*) as jobs,
        sum(credits_charged)::bigint as credits
      from jobs
      where api_key_id = ${keyId} and account_id = ${accountId}
        and created_at >= (select day from since)::timestamp at time zone 'UTC'
      group by 1
    )
    select to_char(day, 'YYYY-MM-DD') as date, coalesce(requests, 0) as requests,
      coalesce(jobs, 0) as jobs, coalesce(credits, 0) as credits
    from asked full join submitted using (day) order by day desc`.execute(db)
  return rows
}
