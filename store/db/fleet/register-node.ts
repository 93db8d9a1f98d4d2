import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'
import { moveNode } from './move-node.ts'

/**
 * Registers a node with its offer, or renews a known one. A leaving node works again; decisions of
 * operators or the farm about it stand.
 */
export async function registerNode(
  db: Db,
  node: { id: string; name: string; version: string; offer: NodeOffer },
): Promise<void> {
  await sql`
    insert into nodes (id, name, version, state, offer)
    values (${node.id}, ${node.name}, ${node.version}, 'active', ${jsonb(node.offer)}::jsonb)
    on conflict (id) do update set name = excluded.name, version = excluded.version, pause = '',
      offer = excluded.offer, registered_at = now(), last_seen_at = now()`.execute(db)
  await moveNode(db, { nodeId: node.id, act: 'register', reason: 'registered' })
}
