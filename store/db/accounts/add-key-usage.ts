import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Adds requests to today's (UTC) count of each key, and records roughly when it was last used. Keys
 * are locked in one order: no deadlocks.
 */
export async function addKeyUsage(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  await sql`
    with counted as (
      select k.id, k.account_id, given.requests
      from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[])
        as given (id, requests)
      join api_keys k on k.id = given.id order by k.id
    ), stale as (
      select id from api_keys where id in (select id from counted)
        and coalesce(last_used_at < now() - interval '1 minute', true)
      order by id for no key update
    ), used as (
      update api_keys set last_used_at = now() from stale where api_keys.id = stale.id
    )
    insert into api_key_usage as u (key_id, account_id, day, requests)
    select id, account_id, (now() at time zone 'UTC')::date, requests from counted
    on conflict (key_id, day) do update set requests = u.requests + excluded.requests`.execute(db)
}
