import type { NodeAct } from '../core/node-states.ts'
import { type Db, inTransaction } from '../store/db/database.ts'
import { moveNode } from '../store/db/statements/move-node.ts'
import { noteAct } from '../store/db/statements/note-act.ts'

/** Who did it, where no person did. */
const actor = '(scheduler)'

/** What the farm itself decides about a node, on record as what its people do. False: as moveNode. */
export async function decideNode(
  db: Db,
  { nodeId, act, reason }: { nodeId: string; act: NodeAct; reason: string },
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    if (!(await moveNode(tx, { nodeId, act, reason }))) return false
    await noteDecision(tx, { nodeId, act, reason })
    return true
  })
}

/** What is no change of state, and belongs into the node's history all the same. */
export async function noteDecision(
  db: Db,
  { nodeId, act, reason }: { nodeId: string; act: string; reason: string },
): Promise<void> {
  await noteAct(db, { actor, act: `nodes ${act}`, subject: nodeId, why: reason })
}
