import { assignTasks, type QueueSnapshot } from '../../../core/queue/assign.ts'
import { type Db, inTransaction } from '../database.ts'
import { listIdleNodes } from '../fleet/list-idle-nodes.ts'
import { type Heads, lockHeads, type Want } from './lock-heads.ts'
import { lockLeasing } from './lock-leasing.ts'
import { type LeasedTask, takeTasks } from './take-tasks.ts'

/**
 * Runs one leasing round for all nodes that ask at the moment: locks the candidate tasks, assigns
 * them (core/queue/assign.ts) and leases them.
 *
 * Rounds of all schedulers are serialized, so that no limit is exceeded and none reads tasks that
 * another is about to take. Nodes that ask meanwhile share the next round. A round costs about the
 * same for one node and for a hundred (docs/decisions/0034).
 */
export async function leaseTasks(db: Db, round: Round): Promise<readonly LeasedTask[]> {
  return (await leaseRound(db, round)).leased
}

type Round = {
  readonly wants: readonly Want[]
  readonly leaseMs: number
  readonly nodeLiveMs: number
}

/** `heldBackFrom`: nodes that could take what waits for idle ones, at most `heldBackMs` (lock-heads.ts). */
export type LeasedRound = {
  readonly leased: readonly LeasedTask[]
  readonly heldBackFrom: readonly string[]
}

/** Does the same as `leaseTasks`. */
export async function leaseRound(
  db: Db,
  { wants, leaseMs, nodeLiveMs }: Round,
): Promise<LeasedRound> {
  return await inTransaction(db, async (tx) => {
    await lockLeasing(tx)
    const heads = await lockHeads(tx, { wants, nodeLiveMs })
    const { given, heldBackFrom } = assignTasks(await withIdleNodes(tx, { heads, nodeLiveMs }))
    const leased = given.length === 0 ? [] : await takeTasks(tx, { assigned: given, leaseMs })
    return { leased, heldBackFrom }
  })
}

/** Adds the idle nodes, which are read only where a fresh shard may wait for them. */
async function withIdleNodes(
  db: Db,
  { heads, nodeLiveMs }: { heads: Heads; nodeLiveMs: number },
): Promise<QueueSnapshot> {
  const shards = new Set(heads.shapes.filter(({ isShard }) => isShard).map(({ id }) => id))
  const fresh = heads.tasks.filter(({ isFresh, shapeId }) => isFresh && shards.has(shapeId))
  if (fresh.length === 0) return { ...heads, idleNodes: [] }
  const shapeIds = [...new Set(fresh.map(({ shapeId }) => shapeId))]
  const others = heads.nodes.map(({ id }) => id)
  const idleNodes = await listIdleNodes(db, { shapeIds, others, nodeLiveMs })
  const shapes = heads.shapes.map((shape) => {
    const able = idleNodes.filter((node) => node.shapeIds.includes(shape.id))
    return { ...shape, nodeIds: [...shape.nodeIds, ...able.map(({ id }) => id)] }
  })
  return { ...heads, shapes, idleNodes }
}
