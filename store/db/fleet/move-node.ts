import { sql } from 'kysely'
import { type NodeAct, nodeActs } from '../../../core/fleet/node-states.ts'
import type { Db } from '../database.ts'

/**
 * Moves the state of a known node where core/fleet/node-states.ts allows the act; no other statement
 * does. False when it did not apply, or there is no such node.
 */
export async function moveNode(
  db: Db,
  { nodeId, act, reason }: { nodeId: string; act: NodeAct; reason: string },
): Promise<boolean> {
  const { from, to } = nodeActs[act]
  const { numAffectedRows } = await sql`
    update nodes set state = ${to}, state_reason = ${reason}, state_since = now(),
      canary_id = null, canary_until = null,
      canaries_failed = case when ${to} = 'quarantined' then canaries_failed else 0 end
    where id = ${nodeId} and state = any(${from})`.execute(db)
  return numAffectedRows === 1n
}
