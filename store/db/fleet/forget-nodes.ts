import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Equals the days for which `farm nodes` lists it. */
const retentionDays = 1
/**
 * A decision of operators or the farm about a node survives the node's restart, even a late one.
 */
const decidedDays = 30

/**
 * Removes rows of nodes that were silent for a day, or for 30 days if cordoned, draining or
 * quarantined: an autoscaled fleet has thousands of nodes a week. Their names stay, for attempts
 * and the audit. A returning node learns that it is unknown, and registers. Answers how many there
 * were.
 */
export async function forgetNodes(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    with gone as (
      delete from nodes where id in (
        select id from nodes n
        where last_seen_at < now() - make_interval(days => case
            when state in ('active', 'leaving') then ${retentionDays}::integer else ${decidedDays}::integer end)
          and not exists (select from attempts a where a.node_id = n.id and a.state = 'running')
        order by last_seen_at limit ${limit} for update skip locked
      ) returning id, name
    )
    insert into gone_nodes (id, name) select id, name from gone
    on conflict (id) do update set name = excluded.name, gone_at = now()`.execute(db)
  return Number(numAffectedRows ?? 0)
}
