import { sql } from 'kysely'
import type { QueueSnapshot } from '../../../core/queue/assign.ts'
import { shardKind } from '../../../core/queue/tasks.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import { planShareRows } from './plan-shares.ts'
import { lanesAsJson, lanesOf, leftAsJson, leftOfNode, usedOfNode } from './used-of-node.ts'

/** A node that asks for work of up to `slots` slots. */
export type Want = { readonly nodeId: string; readonly slots: number }

/**
 * Longest wait of a queued shard for an idle node that does not ask yet: time enough for another
 * scheduler to hear of it and lease.
 */
export const heldBackMs = 250

/** Snapshot that a round assigns to the nodes that ask. */
export type Heads = Omit<QueueSnapshot, 'idleNodes'>

/** Tasks read beyond those wanted, so that some match a node's caches. */
const slack = 32
/** A node's latest attempts, which show what it has worked at. */
const lateAttempts = 32

/**
 * Locks the tasks that the asking nodes may be given next, and answers them with all that the
 * assignment needs (core/queue/assign.ts). Inactive nodes are left out.
 *
 * The queue is read by lanes, one for each account and shape of task with queued work: a loose
 * index scan steps from lane to lane, and reads only the head of each. So the cost follows the
 * lanes and the running tasks, not the depth, and hardly the number of nodes (numbers:
 * docs/decisions/0020, 0034). Rejected:
 * - one index in the order of tags: as flat while every task fits and nobody is at a limit; with
 *   10^5 tasks of an account at its burst lying ahead, 68 ms a lease, against 17 ms by lanes;
 * - counters of running slots on the account's row: every lease of an account waits for the one
 *   before it to commit;
 * - as many heads of each lane as are wanted: n lanes with earlier first tags precede the n-th,
 *   which therefore needs n fewer.
 */
export async function lockHeads(
  db: Db,
  { wants, nodeLiveMs }: { wants: readonly Want[]; nodeLiveMs: number },
): Promise<Heads> {
  const nodeIds = wants.map(({ nodeId }) => nodeId)
  const { rows } = await sql<{ snapshot: Heads }>`${prepared('lock-heads')}
    with recursive running as materialized (
      select node_id, account_id, job_id, pool, shape_id from attempts where state = 'running'
    ), pool_left as materialized (
      select p.name, p.slots_max - (select count(*) from running r where r.pool = p.name) as slots
      from pools p
    ), farm_left as materialized (
      select slots_max - (select count(*) from running) as slots from farm_clock
    ), node as materialized (
      select n.id, n.offer, n.offer->>'pool' as pool, want.place,
        least(want.slots, p.slots, f.slots) as slots,
        ${leftOfNode()}
      from unnest(${nodeIds}::uuid[], ${wants.map(({ slots }) => slots)}::integer[])
          with ordinality as want (id, slots, place)
        join nodes n on n.id = want.id cross join farm_left f
        left join pool_left p on p.name = n.offer->>'pool'
        cross join lateral ${usedOfNode()} used
      where n.id = any(${nodeIds}::uuid[]) and n.state = 'active' and n.pause = ''
        and least(want.slots, p.slots, f.slots) >= 1
    ), queued_shape as materialized (
      select s.id, s.kind, s.requirements, need.* from task_shapes s
        cross join lateral (
          select coalesce((s.requirements->>'slots')::float8, 1) as slots,
            coalesce((s.requirements->>'memoryMb')::float8, 0) as memory,
            coalesce((s.requirements->>'gpuMemoryMb')::float8, 0) as gpu_memory,
            coalesce((s.requirements->>'encoderSessions')::float8, 0) as sessions
        ) need
        -- One probe each; as a condition (exists) it is joined with all that is queued.
        cross join lateral (
          select from tasks t where t.state = 'queued' and t.shape_id = s.id limit 1
        ) some_task
    ), offer as materialized (
      -- Nodes are many, and what they offer is mostly the same.
      select s.id as shape_id, o.offer from queued_shape s
        cross join (select distinct offer from node) o
      where task_lacks(s.kind, s.requirements, o.offer) = '{}'
    ), fitting as materialized (
      select s.id, s.kind, s.requirements, s.slots, s.memory, s.gpu_memory, s.sessions,
        array_agg(n.id order by n.place) as node_ids, sum(n.slots) as wanted
      from queued_shape s join offer o on o.shape_id = s.id join node n on n.offer = o.offer
      where s.slots <= n.slots and s.gpu_memory <= greatest(n.gpu_memory, 0)
        and (n.memory is null or s.memory <= n.memory)
        and (n.sessions is null or s.sessions <= n.sessions)
      group by s.id, s.kind, s.requirements, s.slots, s.memory, s.gpu_memory, s.sessions
    ), shape as materialized (
      -- Those that the same nodes can do are looked through together.
      select *, dense_rank() over (order by node_ids) as of_nodes from fitting
    ), lane (shape_id, account_id, first) as (
      select s.id, t.account_id, t.virtual_start from shape s cross join lateral (
        select account_id, virtual_start from tasks
        where state = 'queued' and shape_id = s.id order by account_id, virtual_start limit 1
      ) t
      union all
      select l.shape_id, t.account_id, t.virtual_start from lane l cross join lateral (
        select account_id, virtual_start from tasks
        where state = 'queued' and shape_id = l.shape_id and account_id > l.account_id
        order by account_id, virtual_start limit 1
      ) t
    ), share as materialized (
      select a.id, coalesce(a.slots_guaranteed, guaranteed) as guaranteed,
        coalesce(a.slots_burst, burst) as burst, job_slots, coalesce(r.slots, 0) as running
      from (select distinct account_id from lane) l
        join accounts a on a.id = l.account_id
        join ${planShareRows()} on plan_share.plan = a.plan
        left join (
          select account_id, count(*) as slots from running group by account_id
        ) r on r.account_id = a.id
      where coalesce(r.slots, 0) < coalesce(a.slots_burst, burst)
    ), job_share as materialized (
      select job_id, account_id, count(*) as running from running group by job_id, account_id
    ), full_job as materialized (
      select j.job_id from job_share j join share on share.id = j.account_id
      where j.running >= share.job_slots
    ), opened as materialized (
      select l.shape_id, l.account_id, shape.of_nodes, shape.wanted + ${slack} as enough,
        share.guaranteed > share.running as favoured, share.job_slots,
        least(share.burst - share.running, shape.wanted + ${slack} - case
          when share.guaranteed > share.running or exists (select from full_job) then 0
          else row_number() over (
            partition by shape.of_nodes, share.guaranteed > share.running order by l.first) - 1
        end) as heads
      from lane l join shape on shape.id = l.shape_id join share on share.id = l.account_id
    ), head as materialized (
      select t.*, o.of_nodes, o.enough, o.favoured, o.job_slots
      from opened o cross join lateral (
        select t.id, t.job_id, t.virtual_start, t.created_at from tasks t
        where t.state = 'queued' and t.shape_id = o.shape_id and t.account_id = o.account_id
          and not exists (select from full_job where full_job.job_id = t.job_id)
          and (t.not_before is null or t.not_before <= now())
          and (t.failed_nodes = '{}' or not t.failed_nodes @> ${nodeIds}::uuid[]
            or not ${othersCould(nodeLiveMs)})
        order by t.virtual_start, t.created_at, t.id limit greatest(o.heads, 0)
      ) t
    ), ranked as (
      select h.*, coalesce(j.running, 0) + row_number() over (
        partition by h.job_id order by h.virtual_start, h.created_at, h.id) as job_rank
      from head h left join job_share j on j.job_id = h.job_id
    ), nearest as materialized (
      select * from (
        select *, row_number() over (
          partition by of_nodes order by virtual_start, created_at, id) as place
        from ranked where job_rank <= job_slots
      ) placed where place <= enough or favoured
    ), held as materialized (
      -- By their ids alone: asked for queued ones, Postgres read all that are queued for each.
      select t.state, t.id, t.account_id, t.job_id, t.shape_id, t.virtual_start, t.created_at, t.cost,
        t.media, case when t.failed_nodes <> '{}' and ${othersCould(nodeLiveMs)}
          then t.failed_nodes else '{}' end as barred
      from tasks t where t.id = any(array(select id from nearest)) for update of t skip locked
    ), locked as materialized (
      select *, created_at > statement_timestamp() - make_interval(secs => ${heldBackMs / 1000}) as is_fresh
      from held where state = 'queued'
    ), asking as (
      select n.id, n.pool, n.place, ${leftAsJson()} as left, ${lanesAsJson()} as lanes,
        array(
          select distinct late.job_id from (
            select a.job_id from attempts a where a.node_id = n.id
            order by a.leased_at desc limit ${lateAttempts}
          ) late where late.job_id = any(array(select job_id from locked))
        ) as "jobIds", array(
          select m.digest from node_media m where m.node_id = n.id
            and m.digest = any(array(select distinct unnest(media) from locked))
        ) as media
      from node n
    )
    select json_build_object(
      'nodes', (select coalesce(json_agg(asking order by place), '[]') from asking),
      'tasks', (select coalesce(json_agg(json_build_object('id', id, 'accountId', account_id,
          'jobId', job_id, 'shapeId', shape_id, 'start', virtual_start, 'cost', cost,
          'media', media, 'barred', barred, 'isFresh', is_fresh)
          order by virtual_start, created_at, id), '[]')
        from locked),
      'shapes', (select coalesce(json_agg(json_build_object('id', s.id, 'nodeIds', s.node_ids,
          'needs', json_build_object('slots', s.slots, 'memory', s.memory,
            'gpuMemory', s.gpu_memory, 'sessions', s.sessions),
          'lanes', ${lanesOf()}, 'isShard', s.kind = ${shardKind}::text)), '[]')
        from shape s),
      'accounts', (select coalesce(json_agg(json_build_object('id', id, 'running', running,
          'guaranteed', guaranteed, 'burst', burst, 'jobSlots', job_slots)), '[]') from share),
      'jobs', (select coalesce(json_agg(json_build_object('id', job_id, 'running', running)), '[]')
        from job_share where job_id = any(array(select job_id from locked))),
      'pools', (select coalesce(json_agg(json_build_object('name', name, 'left', slots)), '[]')
        from pool_left),
      'farmLeft', (select slots from farm_left)
    ) as snapshot`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('A statement without a table must answer a row.')
  return row.snapshot
}

/** Answers whether a node that was seen lately and has not failed the task `t` could take it. */
function othersCould(nodeLiveMs: number) {
  return sql`exists (
    select from nodes other join task_shapes s on s.id = t.shape_id
    where other.state = 'active' and other.pause = ''
      and other.last_seen_at > now() - make_interval(secs => ${nodeLiveMs / 1000})
      and other.id <> all(t.failed_nodes)
      and task_lacks(s.kind, s.requirements, other.offer) = '{}'
  )`
}
