import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type PoolView = {
  /** '' = nodes without a pool; null = the whole farm. */
  readonly pool: string | null
  /** Nodes that take work, with their slots. */
  readonly nodes: number
  readonly slots: number
  /** Nodes of any state that have not spoken lately. */
  readonly silent: number
  /** Nodes that speak and take no work: cordoned, draining, quarantined or leaving. */
  readonly stopped: number
  readonly running: number
  /** Null = all that the nodes offer. */
  readonly slotsMax: number | null
}

/** Lists every pool with a limit or with nodes, also with silent ones alone, and the farm as a whole. */
export async function listPools(
  db: Db,
  { seenWithinMs }: { seenWithinMs: number },
): Promise<readonly PoolView[]> {
  const { rows } = await sql<PoolView>`
    with node as (
      select offer->>'pool' as pool, (offer->>'slots')::integer as slots,
        state = 'active' as is_active,
        last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000}) as is_heard
      from nodes
    ), of_pool as (
      select pool, grouping(pool) as is_farm,
        count(*) filter (where is_active and is_heard) as nodes,
        coalesce(sum(slots) filter (where is_active and is_heard), 0) as slots,
        count(*) filter (where not is_heard) as silent,
        count(*) filter (where is_heard and not is_active) as stopped
      from node group by grouping sets ((pool), ())
    ), running as (
      select pool from attempts where state = 'running'
    ), pool as (
      select pool from node union select pool from running union select name from pools
    )
    select pool.pool, coalesce(p.nodes, 0) as nodes, coalesce(p.slots, 0) as slots,
      coalesce(p.silent, 0) as silent, coalesce(p.stopped, 0) as stopped,
      (select count(*) from running r where r.pool = pool.pool) as running,
      pools.slots_max as "slotsMax"
    from pool left join of_pool p on p.pool = pool.pool and p.is_farm = 0
      left join pools on pools.name = pool.pool
    union all
    select null, p.nodes, p.slots, p.silent, p.stopped, (select count(*) from running), slots_max
    from farm_clock join of_pool p on p.is_farm = 1
    order by 1 nulls first`.execute(db)
  return rows
}
