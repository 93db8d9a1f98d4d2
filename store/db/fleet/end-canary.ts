import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer } from '../fleet-schema.ts'

/**
 * Ends the canary that a node holds, and returns the node's offer. Undefined: it holds none of this
 * id, or is late.
 */
export async function endCanary(
  db: Db,
  { nodeId, canaryId }: { nodeId: string; canaryId: string },
): Promise<NodeOffer | undefined> {
  const { rows } = await sql<{ offer: NodeOffer }>`
    update nodes set canary_id = null, canary_until = now()
    where id = ${nodeId} and canary_id = ${canaryId} and canary_until > now()
    returning offer`.execute(db)
  return rows[0]?.offer
}
