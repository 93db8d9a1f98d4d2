import { sql } from 'kysely'
import { localityBound } from '../../../core/shares.ts'
import type { TaskKind } from '../../../core/tasks.ts'
import type { Db } from '../database.ts'
import type { TaskInput } from '../fleet-schema.ts'
import { prepared } from '../prepared.ts'
import { planShareRows } from './plan-shares.ts'

export type LeasedTask = {
  readonly id: string
  readonly jobId: string
  readonly accountId: string
  readonly attempt: number
  readonly kind: TaskKind
  readonly spec: Record<string, unknown>
  readonly inputs: readonly TaskInput[]
  readonly outputs: readonly string[]
}

export type Lessee = {
  readonly nodeId: string
  readonly limit: number
  readonly leaseMs: number
  readonly nodeLiveMs: number
}

/** More heads of each lane than are wanted: other lessees may be taking the first ones. */
const slack = 16

/**
 * Leases up to `limit` tasks to an active node: of what it can do, the smallest start tags
 * (enqueue-task.ts), accounts below their guaranteed slots first, none above its burst.
 *
 * The queue is read by lanes, one for each account and shape of task that has something queued: a
 * loose index scan steps from lane to lane, and of each only the head is looked at. So the cost
 * follows the lanes and the fleet's slots and not the depth (numbers: docs/decisions/0020).
 * Instead of:
 * - one index in the order of tags: as flat while every task fits and nobody is at a limit; with
 *   10^5 tasks of an account at its burst lying ahead, 68 ms a lease, against 17 ms by lanes;
 * - a row for each account with its head's tag, locked while leasing: one lessee an account at a
 *   time;
 * - counters of running slots on the account's row: every lease of an account waits for the one
 *   before it to commit.
 *
 * `for update skip locked` lets any number of lessees take different rows without waiting for each
 * other. Limits are read without a lock, so lessees at the same moment may pass one by as many.
 *
 * A node that failed a task gets it back only when no other that was seen lately could take it.
 */
export async function leaseTasks(
  db: Db,
  { nodeId, limit, leaseMs, nodeLiveMs }: Lessee,
): Promise<readonly LeasedTask[]> {
  const heads = limit + slack
  const { rows } = await sql<LeasedTask>`${prepared('lease-tasks')}
    with recursive node as materialized (
      select id, offer, offer->>'pool' as pool,
        concat_ws(' ', offer->>'canvas', offer->>'device', offer->>'pool') as class
      from nodes where id = ${nodeId} and state = 'active' and pause = ''
    ), running as materialized (
      select node_id, account_id, job_id, pool, shape_id from attempts where state = 'running'
    ), room as materialized (
      -- What is left of the limits of the pool and of the farm, and of the node's sizes.
      select
        least(${limit}, p.slots_max - (select count(*) from running r where r.pool = node.pool),
          c.slots_max - (select count(*) from running)) as slots,
        nullif((node.offer->>'memoryMb')::float8, 0) - used.memory as memory,
        coalesce((node.offer->>'gpuMemoryMb')::float8, 0) - used.gpu_memory as gpu_memory,
        nullif((node.offer->>'encoderSessions')::float8, 0) - used.sessions as sessions
      from node join farm_clock c on c.single_row left join pools p on p.name = node.pool
        cross join lateral (
          select coalesce(sum((s.requirements->>'memoryMb')::float8), 0) as memory,
            coalesce(sum((s.requirements->>'gpuMemoryMb')::float8), 0) as gpu_memory,
            coalesce(sum((s.requirements->>'encoderSessions')::float8), 0) as sessions
          from running r join task_shapes s on s.id = r.shape_id where r.node_id = node.id
        ) used
    ), shape as materialized (
      select s.id, need.* from node, room, task_shapes s
        cross join lateral (
          select coalesce((s.requirements->>'slots')::float8, 1) as slots,
            coalesce((s.requirements->>'memoryMb')::float8, 0) as memory,
            coalesce((s.requirements->>'gpuMemoryMb')::float8, 0) as gpu_memory,
            coalesce((s.requirements->>'encoderSessions')::float8, 0) as sessions
        ) need
      where task_lacks(s.kind, s.requirements, node.offer) = '{}'
        and need.slots <= room.slots and need.gpu_memory <= greatest(room.gpu_memory, 0)
        and (room.memory is null or need.memory <= room.memory)
        and (room.sessions is null or need.sessions <= room.sessions)
    ), lane (shape_id, account_id) as (
      select s.id, (select t.account_id from tasks t where t.state = 'queued'
        and t.shape_id = s.id order by t.account_id limit 1)
      from shape s
      union all
      select l.shape_id, (select t.account_id from tasks t where t.state = 'queued'
        and t.shape_id = l.shape_id and t.account_id > l.account_id order by t.account_id limit 1)
      from lane l where l.account_id is not null
    ), share as materialized (
      select a.id as account_id, coalesce(a.slots_guaranteed, guaranteed) as guaranteed,
        coalesce(a.slots_burst, burst) as burst, job_slots, coalesce(r.slots, 0) as slots
      from (select distinct account_id from lane where account_id is not null) l
        join accounts a on a.id = l.account_id
        join ${planShareRows()} on plan_share.plan = a.plan
        left join (
          select account_id, count(*) as slots from running group by account_id
        ) r on r.account_id = a.id
      where coalesce(r.slots, 0) < coalesce(a.slots_burst, burst)
    ), job_share as materialized (
      select job_id, count(*) as slots from running group by job_id
    ), head as (
      select t.*, share.guaranteed, share.burst, share.job_slots,
        share.slots as account_slots, coalesce(j.slots, 0) as job_slots_used
      from lane join share on share.account_id = lane.account_id
        cross join node cross join lateral (
          select t.id, t.account_id, t.job_id, t.shape_id, t.virtual_start, t.created_at, t.media,
            t.cost
          from tasks t
          where t.state = 'queued' and t.shape_id = lane.shape_id
            and t.account_id = lane.account_id
            and not exists (
              select from job_share full_job
              where full_job.job_id = t.job_id and full_job.slots >= share.job_slots
            )
            and (node.id <> all(t.failed_nodes) or not exists (
              select from nodes other join task_shapes s on s.id = t.shape_id
              where other.state = 'active' and other.pause = ''
                and other.last_seen_at > now() - make_interval(secs => ${nodeLiveMs / 1000})
                and other.id <> all(t.failed_nodes)
                and task_lacks(s.kind, s.requirements, other.offer) = '{}'
            ))
          order by t.virtual_start, t.created_at, t.id limit ${heads}
        ) t left join job_share j on j.job_id = t.job_id
    ), ranked as (
      select *,
        account_slots + row_number() over (
          partition by account_id order by virtual_start, created_at, id) as account_rank,
        job_slots_used + row_number() over (
          partition by job_id order by virtual_start, created_at, id) as job_rank
      from head
    ), nearest as materialized (
      -- By share alone; what is near the node is looked for among these only.
      select *, account_rank > guaranteed as beyond from ranked
      where account_rank <= burst and job_rank <= job_slots
      order by beyond, virtual_start, created_at, id limit ${2 * heads}
    ), placed as materialized (
      select n.id, n.shape_id, row_number() over (
        order by n.beyond, n.virtual_start - case when exists (
          select from attempts a where a.job_id = n.job_id and a.node_id = node.id
        ) or exists (
          select from node_media m where m.node_id = node.id and m.digest = any(n.media)
        ) then least(n.cost, ${localityBound}::float8) else 0 end, n.created_at, n.id) as place
      from nearest n, node
    ), locked as materialized (
      select t.id, t.virtual_start, placed.place, placed.shape_id
      from placed join tasks t on t.id = placed.id
      where t.state = 'queued'
      order by placed.place limit (select floor(slots)::integer from room)
      for update of t skip locked
    ), fitting as materialized (
      -- One after the other into what the node has left; the others are let go at the commit.
      select id, virtual_start from (
        select l.id, l.virtual_start, l.place,
          sum(shape.slots) over before as slots, sum(shape.memory) over before as memory,
          sum(shape.gpu_memory) over before as gpu_memory,
          sum(shape.sessions) over before as sessions
        from locked l join shape on shape.id = l.shape_id
        window before as (order by l.place rows unbounded preceding)
      ) filled cross join room
      where filled.slots <= room.slots
        and (filled.gpu_memory = 0 or filled.gpu_memory <= room.gpu_memory)
        and (room.memory is null or filled.memory <= room.memory)
        and (room.sessions is null or filled.sessions <= room.sessions)
    ), free_clock as (
      select single_row from farm_clock
      where single_row and virtual_time < (select min(virtual_start) from fitting)
      for update of farm_clock skip locked
    ), clock as (
      -- The farm's virtual time is the largest start tag taken so far, of tasks taken together the
      -- smallest. When another lessee is moving it, it is left to that one: a clock that is late by
      -- one lease harms nobody, and waiting would put all commits in a row (20 lessees, 4,000 tasks,
      -- two busy cores: 240 leases a second waiting, 530 skipping).
      update farm_clock set virtual_time = (select min(virtual_start) from fitting)
      from free_clock where farm_clock.single_row = free_clock.single_row
    ), leased as (
      update tasks set state = 'leased', attempt = tasks.attempt + 1, frames_done = 0,
        previews = 0
      where tasks.id = any (array(select id from fitting))
      returning tasks.*
    ), begun as (
      insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class,
        pool, cost, expires_at)
      select l.id, l.attempt, l.job_id, l.account_id, l.shape_id, node.id, node.class, node.pool,
        l.cost, now() + make_interval(secs => ${leaseMs / 1000})
      from leased l, node
    )
    select l.id, l.job_id as "jobId", l.account_id as "accountId", l.attempt, l.kind, l.spec,
      l.inputs, l.outputs
    from leased l order by l.virtual_start, l.created_at, l.id`.execute(db)
  return rows
}
