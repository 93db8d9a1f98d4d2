import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'
import { rememberedMinutes } from './read-backlog.ts'

/** `isOnline`: nodes that offer it take work now; else they may come back, as those of a pool at zero do. */
export type KnownOffer = { readonly offer: NodeOffer; readonly isOnline: boolean }

/**
 * Lists the offers of the nodes that take work and spoke within the last `seenWithinMs`, one each, then
 * the distinct ones of all others that spoke within the hour for which the scaler remembers them.
 */
export async function listOffers(
  db: Db,
  { seenWithinMs }: { seenWithinMs: number },
): Promise<readonly KnownOffer[]> {
  const { rows } = await sql<KnownOffer>`
    ${prepared('list-offers')} with known as materialized (
      select id, offer, state = 'active' and pause = ''
        and last_seen_at > now() - make_interval(secs => ${seenWithinMs / 1000}) as is_online
      from nodes
      where last_seen_at > now() - make_interval(mins => ${rememberedMinutes}::integer)
    )
    select offer, is_online as "isOnline" from (
      select id, offer, is_online from known where is_online
      union all
      select min(id::text)::uuid, offer, is_online from known where not is_online
        group by offer, is_online
    ) listed order by is_online desc, id`.execute(db)
  return rows
}
