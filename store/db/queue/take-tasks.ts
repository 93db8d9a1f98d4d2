import { sql } from 'kysely'
import type { Assignment } from '../../../core/queue/assign.ts'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskInput } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'

export type LeasedTask = {
  readonly nodeId: string
  readonly id: string
  readonly jobId: string
  readonly accountId: string
  readonly attempt: number
  readonly kind: TaskKind
  readonly spec: Record<string, unknown>
  readonly inputs: readonly TaskInput[]
  readonly outputs: readonly string[]
  /** Slots that it takes on the node. */
  readonly slots: number
}

/**
 * Leases the assigned tasks, which this transaction has locked (lock-heads.ts), and moves the
 * farm's virtual time to the largest start tag taken. Of tasks that a node takes together, the
 * smallest tag counts.
 *
 * The clock's row is skipped while another holds it: a clock that is late by one round does no
 * harm.
 */
export async function takeTasks(
  db: Db,
  { assigned, leaseMs }: { assigned: readonly Assignment[]; leaseMs: number },
): Promise<readonly LeasedTask[]> {
  const taskIds = assigned.map(({ taskId }) => taskId)
  const nodeIds = assigned.map(({ nodeId }) => nodeId)
  const { rows } = await sql<LeasedTask>`${prepared('take-tasks')}
    with given as materialized (
      select * from unnest(${taskIds}::uuid[], ${nodeIds}::uuid[]) as given (task_id, node_id)
    ), leased as (
      -- By an array, and nothing of their state: either made Postgres read all of the queue.
      update tasks set state = 'leased', attempt = tasks.attempt + 1, frames_done = 0,
        previews = 0
      where tasks.id = any(${taskIds}::uuid[])
      returning tasks.*
    ), first as materialized (
      select max(start) as start from (
        select min(l.virtual_start) as start from leased l join given g on g.task_id = l.id
        group by g.node_id
      ) of_node
    ), free_clock as (
      select single_row from farm_clock
      where single_row and virtual_time < (select start from first)
      for update of farm_clock skip locked
    ), clock as (
      update farm_clock set virtual_time = (select start from first)
      from free_clock where farm_clock.single_row = free_clock.single_row
    ), begun as (
      insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class,
        pool, cost, expires_at)
      select l.id, l.attempt, l.job_id, l.account_id, l.shape_id, n.id,
        concat_ws(' ', n.offer->>'canvas', n.offer->>'device', n.offer->>'pool'),
        n.offer->>'pool', l.cost, now() + make_interval(secs => ${leaseMs / 1000})
      from leased l join given g on g.task_id = l.id join nodes n on n.id = g.node_id
    )
    select g.node_id as "nodeId", l.id, l.job_id as "jobId", l.account_id as "accountId",
      l.attempt, l.kind, l.spec, l.inputs, l.outputs,
      coalesce((l.requirements->>'slots')::float8, 1) as slots
    from leased l join given g on g.task_id = l.id
    order by l.virtual_start, l.created_at, l.id`.execute(db)
  return rows
}
