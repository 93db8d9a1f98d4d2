import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Adds requests to today's (UTC) count of each key. Keys are taken in one order: no deadlocks. */
export async function addKeyUsage(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  await sql`
    insert into api_key_usage as u (key_id, account_id, day, requests)
    select k.id, k.account_id, (now() at time zone 'UTC')::date, counted.requests
    from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[])
      as counted (id, requests)
    join api_keys k on k.id = counted.id order by k.id
    on conflict (key_id, day) do update set requests = u.requests + excluded.requests`.execute(db)
}
