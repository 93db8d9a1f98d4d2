import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Equals the days for which `farm nodes` lists it. */
const retentionDays = 1
/**
 * A decision of operators or the farm about a node survives the node's restart, even a late one.
 */
const decidedDays = 30

/** A pod that is gone never comes back. */
const podHours = 1

/**
 * Removes rows of nodes that were silent for a day, or for 30 days if cordoned, draining or
 * quarantined; pods that enrolled after an hour, with their certificates: an autoscaled fleet has
 * thousands of nodes a week. The names of those that worked or were decided about stay, for attempts
 * and the audit. A returning node learns that it is unknown, and registers. Answers how many there
 * were.
 */
export async function forgetNodes(db: Db, { limit }: { limit: number }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from nodes where id in (
        select id from nodes n
        where last_seen_at < now() - case
            when state not in ('active', 'leaving') then make_interval(days => ${decidedDays}::integer)
            when exists (
              select from node_certificates c where c.node_id = n.id and c.enrolled_as = 'pod'
            ) then make_interval(hours => ${podHours}::integer)
            else make_interval(days => ${retentionDays}::integer) end
          and not exists (select from attempts a where a.node_id = n.id and a.state = 'running')
        order by last_seen_at limit ${limit} for update skip locked
      ) returning id, name
    ), certificate as (
      delete from node_certificates where enrolled_as = 'pod' and revoked_at is null
        and node_id in (select id from gone)
    ), named as (
      insert into gone_nodes (id, name) select id, name from gone
      where exists (select from attempts a where a.node_id = gone.id)
        or exists (select from operator_acts o where o.subject = gone.id::text)
      on conflict (id) do update set name = excluded.name, gone_at = now()
    )
    select count(*)::integer as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
