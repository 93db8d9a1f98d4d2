import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A window of one node, or of all nodes of a pool ('': those that name none). */
export type MaintenanceTarget =
  | { readonly nodeId: string; readonly pool: null }
  | { readonly nodeId: null; readonly pool: string }

export type MaintenanceView = {
  readonly id: string
  readonly nodeId: string | null
  /** Name of the node. */
  readonly node: string | null
  readonly pool: string | null
  readonly startsAt: Date
  readonly endsAt: Date
  readonly why: string
  readonly madeBy: string
  /** Nodes that it has cordoned. */
  readonly cordoned: number
  readonly beganAt: Date | null
  readonly cancelledAt: Date | null
  /** Null: it is to come, or goes on. */
  readonly endedAt: Date | null
}

export async function addMaintenance(
  db: Db,
  {
    target: { nodeId, pool },
    ...window
  }: {
    readonly target: MaintenanceTarget
    readonly startsAt: Date
    readonly endsAt: Date
    readonly why: string
    readonly madeBy: string
  },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maintenance_windows (node_id, pool, starts_at, ends_at, why, made_by)
    values (${nodeId}, ${pool}, ${window.startsAt}, ${window.endsAt}, ${window.why},
      ${window.madeBy})
    returning id`.execute(db)
  if (rows[0] === undefined) throw new Error('An inserted row must be answered')
  return rows[0].id
}

/** Lists windows that have not ended, the next first, then the latest that have; or the given one. */
export async function listMaintenance(
  db: Db,
  { limit, id }: { readonly limit: number; readonly id?: string },
): Promise<readonly MaintenanceView[]> {
  const { rows } = await sql<MaintenanceView>`
    select w.id, w.node_id as "nodeId", n.name as node, w.pool, w.starts_at as "startsAt",
      w.ends_at as "endsAt", w.why, w.made_by as "madeBy", w.began_at as "beganAt",
      w.cancelled_at as "cancelledAt", w.ended_at as "endedAt",
      (select count(*) from maintenance_nodes m where m.window_id = w.id) as cordoned
    from maintenance_windows w left join nodes n on n.id = w.node_id
    where ${id === undefined ? sql`true` : sql`w.id = ${id}`}
    order by w.ended_at is not null, w.ended_at desc, w.starts_at, w.id limit ${limit}`.execute(db)
  return rows
}

/** Cancels a window, which then ends at the scheduler's next turn. False: it has ended already. */
export async function cancelMaintenance(db: Db, id: string): Promise<boolean> {
  // A window that has not begun has nothing to undo.
  const { numAffectedRows } = await sql`
    update maintenance_windows set cancelled_at = now(),
      ended_at = case when began_at is null then now() end
    where id = ${id} and ended_at is null and cancelled_at is null`.execute(db)
  return numAffectedRows === 1n
}
