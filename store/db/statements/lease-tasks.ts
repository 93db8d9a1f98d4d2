import { assignTasks } from '../../../core/assign-tasks.ts'
import { type Db, inTransaction } from '../database.ts'
import { lockHeads, type Want } from './lock-heads.ts'
import { lockRounds } from './lock-rounds.ts'
import { type LeasedTask, takeTasks } from './take-tasks.ts'

/**
 * One round of leasing, for as many nodes as ask at the moment: what they may be given is read and
 * locked, shared out (core/assign-tasks.ts), and leased.
 *
 * Rounds of all schedulers come one after the other, so that no limit is passed and nobody reads
 * what another is about to take; nodes that ask meanwhile share the next one. A round costs about
 * the same for one node and for a hundred (docs/decisions/0034).
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
