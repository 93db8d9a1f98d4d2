import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer } from '../fleet-schema.ts'
import { jsonb } from '../jsonb.ts'
import { moveNode } from './move-node.ts'

/**
 * Makes a node known with what it offers, or renews what is known. One that was leaving works again;
 * what the farm's people or the farm itself decided about it stands.
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
