import { sql } from 'kysely'
import type { NodeRecord } from '../../../core/fleet/node-states.ts'
import type { Db } from '../database.ts'

/** Older attempts say nothing about a node's present condition. */
const windowMinutes = 15

/**
 * Reads a node's recent attempts, since its last change of state. Losses of one minute count once:
 * a killed node loses all its attempts by one cause.
 */
export async function readNodeRecord(db: Db, nodeId: string): Promise<NodeRecord> {
  const { rows } = await sql<NodeRecord>`
    select
      count(distinct case a.state
        when 'failed' then a.task_id::text
        else date_trunc('minute', a.ended_at)::text
      end) filter (where a.state in ('failed', 'lost') and winner.node_id <> a.node_id
        and a.error->>'code' is distinct from 'media_unreachable') as blamed,
      count(*) filter (where a.state = 'completed') as succeeded
    from attempts a join tasks t on t.id = a.task_id join nodes n on n.id = a.node_id
      left join attempts winner on winner.task_id = t.id and winner.attempt = t.won_attempt
    where a.node_id = ${nodeId} and a.ended_at > n.state_since
      and a.leased_at > now() - make_interval(mins => ${windowMinutes})`.execute(db)
  return rows[0] ?? { blamed: 0, succeeded: 0 }
}
