import { sql } from 'kysely'
import { type Db, inTransaction } from '../database.ts'
import { moveNode } from './move-node.ts'
import { recordAct } from './record-act.ts'

/** Actor of the acts of a window. */
const actor = '(maintenance)'
/** Any number that no other lock uses. */
const lockNumber = 7_353_188
/** Most nodes of one turn, so that the sweep is never long. */
const most = 200

type Due = { readonly windowId: string; readonly nodeId: string; readonly reason: string }

/**
 * Cordons the nodes of windows that have begun, and uncordons those of windows that are over. A node
 * that joins its pool meanwhile is cordoned too. A node that someone else cordoned, or that someone
 * uncordons during the window, is left as it is.
 */
export async function keepMaintenance(db: Db): Promise<void> {
  const { rows } = await sql`
    select from maintenance_windows where ended_at is null and starts_at <= now() limit 1`.execute(
    db,
  )
  if (rows.length > 0) await inTransaction(db, keepOpen)
}

async function keepOpen(tx: Db): Promise<void> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${lockNumber}) as mine`.execute(tx)
  if (!rows[0]?.mine) return
  // Ends come first, so that a node in two windows is cordoned again before anybody sees it.
  await endWindows(tx)
  await beginWindows(tx)
}

async function endWindows(tx: Db): Promise<void> {
  const { rows } = await sql<Due>`
    select w.id as "windowId", n.id as "nodeId", w.why as reason
    from maintenance_windows w join maintenance_nodes m on m.window_id = w.id
      join nodes n on n.id = m.node_id
    where ${isOver} and n.state = 'cordoned' and n.state_since = m.cordoned_at
    order by n.id limit ${most}`.execute(tx)
  for (const { nodeId, reason } of rows) {
    if (
      !(await moveNode(tx, { nodeId, act: 'uncordon', reason: `maintenance is over: ${reason}` }))
    )
      continue
    await recordAct(tx, { actor, act: 'nodes uncordon', subject: nodeId, why: reason })
  }
  if (rows.length === most) return
  await sql`update maintenance_windows w set ended_at = now() where ${isOver}`.execute(tx)
}

async function beginWindows(tx: Db): Promise<void> {
  await sql`
    update maintenance_windows set began_at = now()
    where began_at is null and ended_at is null and starts_at <= now()`.execute(tx)
  const { rows } = await sql<Due & { endsAt: Date }>`
    select distinct on (n.id) w.id as "windowId", n.id as "nodeId", w.why as reason,
      w.ends_at as "endsAt"
    from maintenance_windows w
      join nodes n on n.id = w.node_id or n.offer->>'pool' = w.pool
    where w.began_at is not null and w.ended_at is null and not ${isOver}
      and n.state in ('active', 'leaving') and not exists (
        select from maintenance_nodes m where m.window_id = w.id and m.node_id = n.id
      )
    order by n.id, w.ends_at desc limit ${most}`.execute(tx)
  for (const { windowId, nodeId, reason, endsAt } of rows) {
    const until = `maintenance until ${endsAt.toISOString()}: ${reason}`
    if (!(await moveNode(tx, { nodeId, act: 'cordon', reason: until }))) continue
    await sql`insert into maintenance_nodes (window_id, node_id, cordoned_at)
      values (${windowId}, ${nodeId}, now())`.execute(tx)
    await recordAct(tx, { actor, act: 'nodes cordon', subject: nodeId, why: reason })
  }
}

/** Condition: the window `w` is over, or cancelled, and not ended yet. */
const isOver = sql`(w.ended_at is null and w.began_at is not null
  and (w.ends_at <= now() or w.cancelled_at is not null))`
