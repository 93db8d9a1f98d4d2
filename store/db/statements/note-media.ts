import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A node's caches hold about so long what they were asked for. */
const keptHours = 6

/**
 * Notes what a node has in its caches now, as far as the farm can know: leasing prefers it for tasks
 * that read the same. A few of the oldest notes, of any node, go in exchange.
 */
export async function noteMedia(
  db: Db,
  { nodeId, digests }: { nodeId: string; digests: readonly string[] },
): Promise<void> {
  if (digests.length === 0) return
  await sql`
    with old as (
      delete from node_media where ctid = any(array(
        select ctid from node_media where used_at < now() - make_interval(hours => ${keptHours})
        order by used_at limit 20 for update skip locked
      ))
    )
    insert into node_media (node_id, digest)
    -- In one order, as everything that locks several rows: no deadlocks.
    select ${nodeId}, digest from unnest(${[...new Set(digests)]}::text[]) digest order by digest
    on conflict (node_id, digest) do update set used_at = now()
    where node_media.used_at < now() - interval '10 minutes'`.execute(db)
}
