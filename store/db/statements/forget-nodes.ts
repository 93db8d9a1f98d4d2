import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** As long as `farm nodes` lists it. */
const keptDays = 1
/** A decision of the farm or its people about a node survives the node's restart, also a late one. */
const decidedDays = 30

/**
 * Removes the rows of nodes that have not spoken for a day, or for 30 where they are cordoned,
 * draining or quarantined: an autoscaled fleet has thousands of nodes a week. Their names stay, for
 * attempts and the audit. A node that comes back is told that it is unknown, and registers.
 * Answers how many there were.
 */
export async function forgetNodes(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    with gone as (
      delete from nodes where id in (
        select id from nodes n
        where last_seen_at < now() - make_interval(days => case
            when state in ('active', 'leaving') then ${keptDays}::integer else ${decidedDays}::integer end)
          and not exists (select from attempts a where a.node_id = n.id and a.state = 'running')
        order by last_seen_at limit ${limit} for update skip locked
      ) returning id, name
    )
    insert into gone_nodes (id, name) select id, name from gone
    on conflict (id) do update set name = excluded.name, gone_at = now()`.execute(db)
  return Number(numAffectedRows ?? 0)
}
