import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A draining node gets no more leases. False when it has never registered. */
export async function drainNode(db: Db, nodeId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update nodes set state = 'draining', last_seen_at = now() where id = ${nodeId}`.execute(db)
  return numAffectedRows === 1n
}
