import { sql } from 'kysely'
import type { NodeState } from '../../../core/fleet/node-states.ts'
import type { Db } from '../database.ts'
import type { NodeOffer, NodeUsage } from '../fleet-schema.ts'

export type NodeView = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly state: NodeState
  readonly stateReason: string
  readonly stateSince: Date
  readonly pause: string
  readonly offer: NodeOffer
  /** Null: it tells none. */
  readonly usage: NodeUsage | null
  /** Tasks it runs now. */
  readonly running: number
  /** Attempts that ended in the last hour. */
  readonly succeeded: number
  readonly failed: number
  /** Seconds since it last spoke, by the database's clock. */
  readonly silentSeconds: number
}

/**
 * Lists nodes by name that spoke within `seenWithinMs`, or have a decision about them; or the given
 * one.
 */
export async function listNodes(
  db: Db,
  { seenWithinMs, node }: { seenWithinMs: number; node?: string },
): Promise<readonly NodeView[]> {
  const asked =
    node === undefined
      ? sql`n.last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000})
        or n.state in ('cordoned', 'draining', 'quarantined')`
      : sql`n.id::text = ${node} or n.name = ${node}`
  const { rows } = await sql<NodeView>`
    select n.id, n.name, n.version, n.state, n.state_reason as "stateReason",
      n.state_since as "stateSince", n.pause, n.offer, n.usage, done.*,
      extract(epoch from now() - n.last_seen_at)::float8 as "silentSeconds"
    from nodes n cross join lateral (
      select count(*) filter (where a.state = 'running') as running,
        count(*) filter (where a.state = 'completed') as succeeded,
        count(*) filter (where a.state in ('failed', 'lost')) as failed
      from attempts a
      where a.node_id = n.id and (a.state = 'running' or a.leased_at > now() - interval '1 hour')
    ) done
    where ${asked} order by n.name, n.id`.execute(db)
  return rows
}
