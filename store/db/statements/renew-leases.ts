import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type HeldTask = {
  readonly taskId: string
  readonly attempt: number
  readonly framesDone: number
  /** How often it wrote its object `preview`. */
  readonly previews: number
}

export type StoppedTask = {
  readonly taskId: string
  readonly attempt: number
  readonly reason: 'cancelled' | 'lost'
}

/**
 * Renews what a node still holds and stores its progress, all in one statement, and answers what it
 * must stop. A lease that is over but that nobody has taken away is renewed: the work is good.
 */
export async function renewLeases(
  db: Db,
  { nodeId, held, leaseMs }: { nodeId: string; held: readonly HeldTask[]; leaseMs: number },
): Promise<readonly StoppedTask[]> {
  const { rows } = await sql<StoppedTask>`
    with held as (
      select * from unnest(
        ${held.map((task) => task.taskId)}::uuid[],
        ${held.map((task) => task.attempt)}::integer[],
        ${held.map((task) => task.framesDone)}::integer[],
        ${held.map((task) => task.previews)}::integer[]
      ) as held (id, attempt, frames_done, previews)
    ), locked as (
      -- In the order of their ids, as everything that locks several tasks: no deadlocks.
      select tasks.id from tasks join held on held.id = tasks.id
      where tasks.state = 'leased' and tasks.node_id = ${nodeId}
      order by tasks.id for update of tasks
    ), renewed as (
      update tasks set lease_expires_at = now() + make_interval(secs => ${leaseMs / 1000}),
        frames_done = least(held.frames_done, tasks.frames_total), previews = held.previews,
        previewed_at = case when held.previews > tasks.previews and tasks.outputs ? 'preview'
          then now() else tasks.previewed_at end
      from held join locked on locked.id = held.id
      where tasks.id = held.id and tasks.attempt = held.attempt
        and tasks.state = 'leased' and tasks.node_id = ${nodeId}
      returning tasks.id
    )
    select held.id as "taskId", held.attempt,
      case when tasks.state = 'cancelled' then 'cancelled' else 'lost' end as reason
    from held left join tasks on tasks.id = held.id and tasks.node_id = ${nodeId}
    where held.id not in (select id from renewed)`.execute(db)
  return rows
}
