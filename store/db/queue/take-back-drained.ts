import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { handBackTasks } from './hand-back-tasks.ts'

/**
 * Takes back tasks that draining nodes still run after the grace, as if they had handed them back.
 */
export async function takeBackDrained(db: Db, { graceMs }: { graceMs: number }): Promise<number> {
  const { rows } = await sql<{ nodeId: string; taskId: string; attempt: number }>`
    select a.node_id as "nodeId", a.task_id as "taskId", a.attempt
    from nodes n join attempts a on a.node_id = n.id
    where n.state = 'draining' and a.state = 'running'
      and n.state_since < now() - make_interval(secs => ${graceMs / 1000})`.execute(db)
  for (const { nodeId, ...attempt } of rows)
    await handBackTasks(db, { nodeId, attempts: [attempt] })
  return rows.length
}
