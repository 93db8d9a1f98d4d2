import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Ends the canary that a node holds, in time. False when it holds none of this id. */
export async function endCanary(
  db: Db,
  { nodeId, canaryId }: { nodeId: string; canaryId: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update nodes set canary_id = null, canary_until = now()
    where id = ${nodeId} and canary_id = ${canaryId} and canary_until > now()`.execute(db)
  return numAffectedRows === 1n
}
