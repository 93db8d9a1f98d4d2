import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { NodeOffer, NodesTable, NodeUsage } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'

export type SeenNode = {
  readonly id: string
  readonly state: NodesTable['state']
  readonly offer: NodeOffer
  readonly canaryId: string | null
  readonly canariesFailed: number
}

/**
 * `pause`: reason for taking no work for the moment ('': it takes work), when the node gave one.
 * `usage`: use of its machine, when it told it.
 */
export type Sign = {
  readonly nodeId: string
  readonly pause?: string
  readonly usage?: NodeUsage
}

/** Latest facts of one node among the signs. */
type Said = { readonly pause: string | null; readonly usage: NodeUsage | null }

/**
 * Records in one statement that nodes spoke. Answers in the order of the signs; undefined for a
 * node that has never registered.
 *
 * The commit does not wait for the disk: a server that crashes forgets the last half second, and
 * every node speaks again within half a minute (docs/decisions/0034).
 */
export async function seeNodes(
  db: Db,
  signs: readonly Sign[],
): Promise<readonly (SeenNode | undefined)[]> {
  const said = new Map<string, Said>()
  for (const { nodeId, pause, usage } of signs) {
    const before = said.get(nodeId)
    said.set(nodeId, {
      pause: pause ?? before?.pause ?? null,
      usage: usage ?? before?.usage ?? null,
    })
  }
  const facts = [...said.values()]
  const { rows } = await sql<SeenNode>`${prepared('see-nodes')}
    with said as (
      select * from unnest(${[...said.keys()]}::uuid[], ${facts.map(({ pause }) => pause)}::text[],
        ${facts.map(({ usage }) => usage && JSON.stringify(usage))}::text[])
        as said (id, pause, usage)
    ), locked as materialized (
      -- In the order of their ids, as everything that locks several rows: no deadlocks. Not so hard
      -- that attempts, which only name their node, would wait.
      select id from nodes where id = any(array(select id from said))
        and set_config('synchronous_commit', 'off', true) = 'off'
      order by id for no key update
    )
    update nodes set last_seen_at = now(), pause = coalesce(said.pause, nodes.pause),
      usage = coalesce(said.usage::jsonb, nodes.usage)
    from said join locked on locked.id = said.id where nodes.id = said.id
    returning nodes.id, state, offer, canary_id as "canaryId",
      canaries_failed as "canariesFailed"`.execute(db)
  const seen = new Map(rows.map((row) => [row.id, row]))
  return signs.map(({ nodeId }) => seen.get(nodeId))
}
