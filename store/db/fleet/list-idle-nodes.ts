import { sql } from 'kysely'
import type { AskingNode } from '../../../core/queue/assign.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import { lanesAsJson, leftAsJson, leftOfNode, usedOfNodes } from '../queue/used-of-node.ts'

export type IdleNode = AskingNode & { readonly shapeIds: readonly number[] }

/** Enough for the shards of a few films. */
const most = 64

/**
 * Lists nodes other than `others` that have a free lane and slot and could do tasks of the shapes, the
 * idlest first. Their caches and jobs are not read.
 */
export async function listIdleNodes(
  db: Db,
  {
    shapeIds,
    others,
    nodeLiveMs,
  }: { shapeIds: readonly number[]; others: readonly string[]; nodeLiveMs: number },
): Promise<readonly IdleNode[]> {
  const { rows } = await sql<IdleNode>`${prepared('list-idle-nodes')}
    with running as materialized (
      select node_id, shape_id from attempts where state = 'running'
    ), idle as materialized (
      select * from (
        select n.id, n.offer, n.offer->>'pool' as pool,
          (n.offer->>'slots')::float8 - used.slots as slots, ${leftOfNode()}
        from nodes n left join ${usedOfNodes(sql`running`)} busy on busy.node_id = n.id
          cross join lateral (
            select coalesce(busy.slots, 0) as slots, coalesce(busy.memory, 0) as memory,
              coalesce(busy.gpu_memory, 0) as gpu_memory, coalesce(busy.sessions, 0) as sessions,
              coalesce(busy.lanes, 0) as lanes
          ) used
        where n.state = 'active' and n.pause = '' and n.id <> all(${others}::uuid[])
          and n.last_seen_at > now() - make_interval(secs => ${nodeLiveMs / 1000})
      ) n where slots >= 1 and free_lanes >= 1
      order by free_lanes / lanes desc, id limit ${most}
    ), able as materialized (
      -- Nodes are many, and what they offer is mostly the same.
      select o.offer, json_agg(s.id) as shape_ids
      from (select distinct offer from idle) o
        join task_shapes s on task_lacks(s.kind, s.requirements, o.offer) = '{}'
      where s.id = any(${shapeIds}::bigint[]) group by o.offer
    )
    select n.id, n.pool, ${leftAsJson()} as left, ${lanesAsJson()} as lanes,
      array[]::text[] as "jobIds", array[]::text[] as media, able.shape_ids as "shapeIds"
    from idle n join able on able.offer = n.offer
    order by n.free_lanes / n.lanes desc, n.id`.execute(db)
  return rows
}
