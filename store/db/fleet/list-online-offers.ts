import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'

/** Offers of the nodes that take work and spoke within the last `seenWithinMs`. */
export async function listOnlineOffers(
  db: Db,
  { seenWithinMs }: { seenWithinMs: number },
): Promise<readonly NodeOffer[]> {
  const { rows } = await sql<{ offer: NodeOffer }>`
    ${prepared('list-online-offers')} select offer from nodes
    where state = 'active' and pause = ''
      and last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000})
    order by id`.execute(db)
  return rows.map((row) => row.offer)
}
