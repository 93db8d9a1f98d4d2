import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type PoolView = {
  /** '' = nodes without a pool; null = the whole farm. */
  readonly pool: string | null
  readonly nodes: number
  readonly slots: number
  readonly running: number
  /** Null = all that the nodes offer. */
  readonly slotsMax: number | null
}

/** Lists every pool with a limit or with nodes that take work, and the farm as a whole. */
export async function listPools(
  db: Db,
  { seenWithinMs }: { seenWithinMs: number },
): Promise<readonly PoolView[]> {
  const { rows } = await sql<PoolView>`
    with online as (
      select offer->>'pool' as pool, (offer->>'slots')::integer as slots from nodes
      where state = 'active'
        and last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000})
    ), running as (
      select pool from attempts where state = 'running'
    ), pool as (
      select pool from online union select pool from running union select name from pools
    )
    select pool.pool, (select count(*) from online o where o.pool = pool.pool) as nodes,
      (select coalesce(sum(slots), 0) from online o where o.pool = pool.pool) as slots,
      (select count(*) from running r where r.pool = pool.pool) as running,
      pools.slots_max as "slotsMax"
    from pool left join pools on pools.name = pool.pool
    union all
    select null, (select count(*) from online), (select coalesce(sum(slots), 0) from online),
      (select count(*) from running), slots_max from farm_clock
    order by 1 nulls first`.execute(db)
  return rows
}
