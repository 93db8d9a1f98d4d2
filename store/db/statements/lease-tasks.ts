import { sql } from 'kysely'
import { assignTasks } from '../../../core/assign-tasks.ts'
import { type Db, inTransaction } from '../database.ts'
import { lockHeads, type Want } from './lock-heads.ts'
import { type LeasedTask, takeTasks } from './take-tasks.ts'

/** Any number that nothing else takes a lock of. */
const lockNumber = 7_353_187
/** A scheduler that stops in the middle of a round is cut off, so that the others may go on. */
const roundIdleMs = 2_000

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
    // Before the statement that looks: what was committed while this one waited is then seen.
    await sql`select pg_advisory_xact_lock(${lockNumber}),
      set_config('idle_in_transaction_session_timeout', ${String(roundIdleMs)}, true)`.execute(tx)
    const assigned = assignTasks(await lockHeads(tx, { wants, nodeLiveMs }))
    return assigned.length === 0 ? [] : await takeTasks(tx, { assigned, leaseMs })
  })
}
