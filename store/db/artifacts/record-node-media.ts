import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'

export type CachedMedium = { readonly nodeId: string; readonly digest: string }

/** Hours for which a node's caches hold their media, roughly. */
const cachedHours = 6
/** Old rows removed for each new one; several, so that none stays for long. */
const goingForEach = 5

/**
 * Records media that nodes probably have in their caches: leasing prefers these nodes for tasks
 * that read the same. A few of the oldest rows, of any node, are removed in exchange.
 */
export async function recordNodeMedia(db: Db, notes: readonly CachedMedium[]): Promise<void> {
  if (notes.length === 0) return
  await sql`
    ${prepared('record-node-media')} with old as (
      delete from node_media where ctid = any(array(
        select ctid from node_media where used_at < now() - make_interval(hours => ${cachedHours})
        order by used_at limit ${goingForEach * notes.length} for update skip locked
      ))
    )
    insert into node_media (node_id, digest)
    -- In one order, as everything that locks several rows: no deadlocks.
    select distinct node_id, digest from unnest(
      ${notes.map(({ nodeId }) => nodeId)}::uuid[], ${notes.map(({ digest }) => digest)}::text[]
    ) as note (node_id, digest) order by node_id, digest
    on conflict (node_id, digest) do update set used_at = now()
    where node_media.used_at < now() - interval '10 minutes'`.execute(db)
}
