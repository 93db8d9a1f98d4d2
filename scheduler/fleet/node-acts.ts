import type { NodeAct } from '../../core/fleet/node-states.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { moveNode } from '../../store/db/fleet/move-node.ts'
import { recordAct } from '../../store/db/fleet/record-act.ts'

/** Actor of acts that no person did. */
const actor = '(scheduler)'

/** Moves a node by the farm's own decision, on record like an operator's. False: as moveNode. */
export async function decideNode(
  db: Db,
  { nodeId, act, reason }: { nodeId: string; act: NodeAct; reason: string },
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    if (!(await moveNode(tx, { nodeId, act, reason }))) return false
    await recordDecision(tx, { nodeId, act, reason })
    return true
  })
}

/** Records a decision that changes no state but belongs into the node's history. */
export async function recordDecision(
  db: Db,
  { nodeId, act, reason }: { nodeId: string; act: string; reason: string },
): Promise<void> {
  await recordAct(db, { actor, act: `nodes ${act}`, subject: nodeId, why: reason })
}
