import { assignTasks } from '../../../core/assign-tasks.ts'
import { type Db, inTransaction } from '../database.ts'
import { lockHeads, type Want } from './lock-heads.ts'
import { lockRounds } from './lock-rounds.ts'
import { type LeasedTask, takeTasks } from './take-tasks.ts'

/**
 * Runs one leasing round for all nodes that ask at the moment: locks the candidate tasks, assigns
 * them (core/assign-tasks.ts) and leases them.
 *
 * Rounds of all schedulers are serialized, so that no limit is exceeded and none reads tasks that
 * another is about to take. Nodes that ask meanwhile share the next round. A round costs about the
 * same for one node and for a hundred (docs/decisions/0034).
 */
export async function leaseTasks(
  db: Db,
  { wants, leaseMs, nodeLiveMs }: { wants: readonly Want[]; leaseMs: number; nodeLiveMs: number },
): Promise<readonly LeasedTask[]> {
  return await inTransaction(db, async (tx) => {
    await lockRounds(tx)
    const assigned = assignTasks(await lockHeads(tx, { wants, nodeLiveMs }))
    return assigned.length === 0 ? [] : await takeTasks(tx, { assigned, leaseMs })
  })
}
