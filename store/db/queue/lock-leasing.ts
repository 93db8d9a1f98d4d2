import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Any number that no other lock uses. */
const lockNumber = 7_353_187
/** A scheduler that stops in the middle of a round is cut off, so that the others may go on. */
const idleLimitMs = 2_000

/**
 * Serializes leasing rounds until the transaction ends. A statement of its own, so that the next
 * one sees all that was committed meanwhile.
 */
export async function lockLeasing(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockNumber}),
    set_config('idle_in_transaction_session_timeout', ${String(idleLimitMs)}, true)`.execute(tx)
}
