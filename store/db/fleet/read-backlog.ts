import { sql } from 'kysely'
import { type BacklogFacts, backlogOf, type PoolBacklog } from '../../../core/queue/backlog.ts'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import { planShareRows } from '../queue/plan-shares.ts'
import { scaledSeconds } from './note-scaled-pool.ts'

/** Number of the latest attempts that tell the pace of each shape of task. */
const window = 2_000
/** Seconds of work below which a measured pace is meaningless. */
const leastSeconds = 1
/** Cost that a slot does in a second, where nothing was measured yet (core/queue/shares.ts). */
const unknownPace = 100
/** Time for which a node that is gone tells of its pool what its nodes can do. */
export const rememberedMinutes = 60

/** Reads the backlog of each pool. @returns by pool; '' = nodes without a pool */
export async function readBacklog(db: Db): Promise<readonly PoolBacklog[]> {
  return backlogOf(await readBacklogFacts(db))
}

/**
 * Reads what `backlogOf` judges, by one statement. It steps from lane to lane, counts each by index
 * alone, and reads as many heads as the account may still run: its cost follows what may run and
 * hardly the depth (docs/decisions/0141).
 *
 * A job's tasks beyond its own limit do not count, and while they are the next ones of their
 * account, tasks behind them do not either.
 */
async function readBacklogFacts(db: Db): Promise<BacklogFacts> {
  const { rows } = await sql<{ facts: BacklogFacts }>`${prepared('read-backlog')}
    with recursive running as materialized (
      select a.account_id, a.job_id, a.pool,
        coalesce((s.requirements->>'slots')::float8, 1) as slots
      from attempts a join task_shapes s on s.id = a.shape_id where a.state = 'running'
    ), offer as materialized (
      select distinct offer->>'pool' as pool, offer from nodes
      where last_seen_at > now() - make_interval(mins => ${rememberedMinutes}::integer)
    ), scaled as materialized (
      select name from scaled_pools
      where asked_at > now() - make_interval(secs => ${scaledSeconds}::integer)
    ), step (shape_id, account_id) as (
      select s.id, (select t.account_id from tasks t where t.state = 'queued'
        and t.shape_id = s.id order by t.account_id limit 1) from task_shapes s
      union all
      select l.shape_id, (select t.account_id from tasks t where t.state = 'queued'
        and t.shape_id = l.shape_id and t.account_id > l.account_id order by t.account_id limit 1)
      from step l where l.account_id is not null
    ), share as materialized (
      select a.id, coalesce(a.slots_burst, burst) - coalesce(r.tasks, 0) as tasks_left, job_slots
      from (select distinct account_id from step where account_id is not null) l
        join accounts a on a.id = l.account_id
        join ${planShareRows()} on plan_share.plan = a.plan
        left join (
          select account_id, count(*) as tasks from running group by account_id
        ) r on r.account_id = a.id
    ), job_share as materialized (
      select job_id, account_id, count(*) as running from running group by job_id, account_id
    ), full_job as materialized (
      select j.job_id, j.account_id from job_share j join share on share.id = j.account_id
      where j.running >= share.job_slots
    ), delayed as materialized (
      select shape_id, account_id, count(*) as tasks from tasks
      where state = 'queued' and not_before > now() group by shape_id, account_id
    ), head as materialized (
      select l.shape_id, l.account_id, t.job_id, t.virtual_start, t.cost,
        share.job_slots, row_number() over (
          partition by t.job_id order by t.virtual_start, t.created_at, t.id) as job_rank
      from step l join share on share.id = l.account_id cross join lateral (
        select t.id, t.job_id, t.virtual_start, t.created_at, t.cost from tasks t
        where t.state = 'queued' and t.shape_id = l.shape_id and t.account_id = l.account_id
          and not exists (select from full_job where full_job.job_id = t.job_id)
          and (t.not_before is null or t.not_before <= now())
        order by t.virtual_start, t.created_at, t.id limit greatest(share.tasks_left, 0)
      ) t
    ), lane as materialized (
      select h.shape_id, h.account_id, count(*) as tasks, avg(h.cost) as cost,
        min(h.virtual_start) as first
      from head h left join job_share j on j.job_id = h.job_id
      where coalesce(j.running, 0) + h.job_rank <= h.job_slots
      group by h.shape_id, h.account_id
    ), line as (
      -- The whole line counts, unless some of it belongs to jobs that are at their own limit.
      select lane.*, case
        when exists (select from full_job f where f.account_id = lane.account_id) then lane.tasks
        else greatest(lane.tasks, (
          select count(*) from tasks t where t.state = 'queued' and t.shape_id = lane.shape_id
            and t.account_id = lane.account_id
        ) - coalesce(delayed.tasks, 0)) end as queued
      from lane left join delayed using (shape_id, account_id)
    ), lately as materialized (
      select shape_id, cost, extract(epoch from ended_at - leased_at)::float8 as seconds
      from attempts where state = 'completed' order by ended_at desc limit ${window}
    ), pace as (
      select shape_id, sum(cost) / sum(seconds) as pace from lately
      group by shape_id having sum(seconds) >= ${leastSeconds}
    ), kind_pace as (
      select s.kind, sum(cost) / sum(seconds) as pace
      from lately join task_shapes s on s.id = lately.shape_id
      group by s.kind having sum(seconds) >= ${leastSeconds}
    ), shape as materialized (
      select s.id, coalesce((s.requirements->>'slots')::float8, 1) as slots,
        coalesce(pace.pace, kind_pace.pace, ${unknownPace}) as pace, array(
          -- The pool of everybody comes first, then those without a GPU.
          select pool from (
            select o.pool, min(coalesce((o.offer->>'gpuMemoryMb')::float8, 0)) as gpu
            from offer o where task_lacks(s.kind, s.requirements - 'engine', o.offer) = '{}'
              -- The next machine of a pool may bring a later engine, and never an earlier one.
              and coalesce(lpad(s.requirements->>'engine', 9, '0') >= lpad(o.offer->>'engine', 9, '0'), true)
            group by o.pool
          ) known order by pool <> '', gpu > 0, pool
        ) as able, array(
          -- Nobody knows what a pool can do of which no node was seen: it may be able.
          select pool from (
            select s.requirements->>'pool' as pool where s.requirements ? 'pool'
            union all
            select name from scaled where not s.requirements ? 'pool'
            union all
            select '' where not s.requirements ? 'pool' and not exists (select from scaled)
          ) wanted
          where not exists (select from offer o where o.pool = wanted.pool) order by pool limit 1
        ) as unknown
      from (select distinct shape_id from lane) l join task_shapes s on s.id = l.shape_id
        left join pace on pace.shape_id = s.id left join kind_pace on kind_pace.kind = s.kind
    )
    select json_build_object(
      'lanes', (select coalesce(json_agg(json_build_object('accountId', l.account_id,
          'pools', case when shape.able = '{}' then shape.unknown else shape.able end,
          'tasks', l.tasks, 'queued', l.queued, 'slots', shape.slots,
          'seconds', l.cost / shape.pace) order by l.first, l.account_id, l.shape_id), '[]')
        from line l join shape on shape.id = l.shape_id),
      'accounts', (select coalesce(json_agg(json_build_object('id', id, 'left', tasks_left)), '[]')
        from share),
      'pools', (select coalesce(json_agg(json_build_object('pool', known.pool,
          'runningSlots', (select coalesce(sum(slots), 0) from running r where r.pool = known.pool),
          'left', (select p.slots_max - (select count(*) from running r where r.pool = p.name)
            from pools p where p.name = known.pool)) order by known.pool), '[]')
        from (select pool from offer union select pool from running
          union select name from pools union select name from scaled) known),
      'farmLeft', (select slots_max - (select count(*) from running) from farm_clock)
    ) as facts`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('A statement without a table must answer a row.')
  return row.facts
}
