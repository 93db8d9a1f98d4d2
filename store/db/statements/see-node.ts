import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer, NodesTable } from '../fleet-schema.ts'

export type SeenNode = {
  readonly state: NodesTable['state']
  readonly offer: NodeOffer
  readonly canaryId: string | null
  readonly canariesFailed: number
}

/**
 * Notes that a node spoke, and why it takes no work for the moment when it said so. Undefined when
 * it has never registered.
 */
export async function seeNode(
  db: Db,
  nodeId: string,
  pause?: string,
): Promise<SeenNode | undefined> {
  const { rows } = await sql<SeenNode>`
    update nodes set last_seen_at = now(), pause = coalesce(${pause ?? null}, pause)
    where id = ${nodeId} 
    returning state, offer, canary_id as "canaryId", canaries_failed as "canariesFailed"`.execute(
    db,
  )
  return rows[0]
}
