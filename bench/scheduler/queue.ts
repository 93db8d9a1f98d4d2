import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Db, inTransaction, isDatabaseAway } from '../../store/db/database.ts'
import { registerNode } from '../../store/db/fleet/register-node.ts'
import type { Want } from '../../store/db/queue/lock-heads.ts'
import { planShareRows, priorityRows } from '../../store/db/queue/plan-shares.ts'
import type { Tenant } from './stage.ts'

/** Cost of every task: as much work as a second of 100 frames. */
const cost = 100

/**
 * Queues `each` more tasks for every tenant in one statement, with the tags that queue/enqueue-tasks.ts
 * would give them one by one. Foreign keys are not checked meanwhile: a million rows would take
 * minutes.
 */
export async function fillQueue(
  db: Db,
  { tenants, each }: { tenants: readonly Tenant[]; each: number },
): Promise<void> {
  const jobs = tenants.map(({ jobId }) => jobId)
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`
      insert into task_shapes (kind, requirements) values ('render', '{}')
      on conflict do nothing`.execute(tx)
    await sql`
      with flow as (
        select j.id as job_id, j.account_id, j.priority,
          ${cost}::float8 / (a.weight * plan_share.weight * priority_weight.weight) as step,
          greatest(c.virtual_time, f.virtual_finish) as first,
          (select count(*) from tasks t where t.job_id = j.id) as there
        from jobs j join accounts a on a.id = j.account_id
          join ${planShareRows()} on plan_share.plan = a.plan
          join ${priorityRows()} on priority_weight.priority = j.priority
          cross join farm_clock c
          left join flows f on f.account_id = a.id and f.priority = j.priority
        where j.id = any(${jobs})
      ), inserted as (
        insert into tasks (job_id, account_id, name, kind, spec, inputs, outputs, requirements,
          shape_id, cost, frames_total, task_token, virtual_start)
        select job_id, account_id, 'render-' || (there + n), 'render',
          '{"segments": [0], "assemble": false}', '[{"name": "plan", "key": "accounts/a/plan"}]',
          '["segment-0"]', s.requirements, s.id, ${cost}, 100, '\\x00', first + (n - 1) * step
        from flow cross join generate_series(1, ${each}::integer) n
          join task_shapes s on s.kind = 'render' and s.requirements = '{}'
      )
      insert into flows (account_id, priority, virtual_finish)
      select account_id, priority, first + ${each} * step from flow
      on conflict (account_id, priority) do update set virtual_finish = excluded.virtual_finish
      `.execute(tx)
  })
}

/** Empties the queue, the history and the fleet. */
export async function emptyQueue(db: Db): Promise<void> {
  for (;;) {
    try {
      await sql`truncate tasks, attempts, task_words, flows, nodes, node_media,
        maintenance_windows, maintenance_nodes`.execute(db)
      break
    } catch (error) {
      // The last calls of departed nodes are still in work, and can deadlock with this.
      if (!isDatabaseAway(error)) throw error
    }
  }
  await sql`update farm_clock set virtual_time = 0`.execute(db)
}

/** Returns one batch of leasing, as a scheduler runs it. */
export function roundOf(wants: readonly Want[]) {
  return { wants, leaseMs: 15_000, nodeLiveMs: 30_000 }
}

/**
 * Returns a function that rotates through nodes, for leasing without a scheduler: none gets more
 * than a few tasks.
 */
export async function nodesByTurns(db: Db, { slots }: { slots: number }): Promise<() => Want> {
  const nodes = Array.from({ length: 250 }, () => randomUUID())
  const offer = {
    kinds: ['render'],
    slots: 8,
    encoders: ['libx264'],
    canvas: 'napi',
    device: 'CPU',
  }
  const all = { ...offer, pool: '', tags: [], lanes: 4 } as const
  for (const id of nodes) await registerNode(db, { id, name: id, version: 'bench', offer: all })
  let turn = 0
  return () => {
    turn += 1
    return { nodeId: nodes[turn % nodes.length] ?? '', slots }
  }
}
