import { type Kysely, sql } from 'kysely'

/** Makes waiting facts name the pool of which an autoscaler starts machines for the job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(waitingFacts).execute(db)
}

const waitingFacts = `
  create function waiting_facts(asked_job uuid, live_seconds double precision,
      scaled_seconds double precision, remembered_seconds double precision)
    returns jsonb language sql stable security definer
    return (
      with recursive task as (
        select t.shape_id, t.virtual_start, t.cost, t.account_id, s.kind, s.requirements
        from tasks t join task_shapes s on s.id = t.shape_id
        where t.job_id = asked_job and t.state = 'queued'
        order by t.virtual_start, t.created_at, t.id limit 1
      ), online as (
        select n.offer, task_lacks(task.kind, task.requirements, n.offer) as lacks,
          (select coalesce(sum(coalesce((s.requirements->>'slots')::float8, 1)), 0)
            from attempts a join task_shapes s on s.id = a.shape_id
            where a.node_id = n.id and a.state = 'running') as used
        from nodes n, task where n.state = 'active' and n.pause = ''
          and n.last_seen_at > now() - make_interval(secs => live_seconds)
      ), lately_seen as (
        select distinct offer from nodes
        where last_seen_at > now() - make_interval(secs => remembered_seconds)
      ), fitting as (
        select offer->>'pool' as pool, sum((offer->>'slots')::integer) as slots,
          sum(used) as used
        from online where lacks = '{}' group by offer->>'pool'
      ), pool as (
        select f.pool, f.slots, f.used, p.slots_max as most,
          (select count(*) from attempts r where r.state = 'running' and r.pool = f.pool) as running
        from fitting f left join pools p on p.name = f.pool
      ), farm as (
        select slots_max as most,
          (select count(*) from attempts where state = 'running') as running
        from farm_clock
      ), full_up as (
        select 0 as place, null as pool, running, most from farm where running >= most
        union all
        select 1, pool, running, most from pool
        where (select bool_and(running >= most and most is not null) from pool)
        order by 1, 2 limit 1
      ), starting as (
        -- Pools that somebody scales, that have no node for the task and may get one.
        select p.name from scaled_pools p cross join task
        where p.asked_at > now() - make_interval(secs => scaled_seconds)
          and coalesce(task.requirements->>'pool', p.name) = p.name
          and not exists (select from fitting)
          and not exists (
            select from pools l where l.name = p.name and l.slots_max <= (
              select count(*) from attempts r where r.state = 'running' and r.pool = l.name
            )
          ) and (
            not exists (select from lately_seen n where n.offer->>'pool' = p.name)
            or exists (
              select from lately_seen n where n.offer->>'pool' = p.name
                and task_lacks(task.kind, task.requirements - 'engine', n.offer) = '{}'
                and coalesce(
                  lpad(task.requirements->>'engine', 9, '0') >= lpad(n.offer->>'engine', 9, '0'), true)
            )
          )
        order by p.name limit 1
      ), lane (shape_id, account_id) as (
        select s.id, (select t.account_id from tasks t where t.state = 'queued'
          and t.shape_id = s.id order by t.account_id limit 1) from task_shapes s
        union all
        select l.shape_id, (select t.account_id from tasks t where t.state = 'queued'
          and t.shape_id = l.shape_id and t.account_id > l.account_id
          order by t.account_id limit 1) from lane l where l.account_id is not null
      ), rival as (
        select s.id from (select distinct shape_id from lane where account_id is not null) l
          join task_shapes s on s.id = l.shape_id
        where exists (select from (select distinct offer from online where lacks = '{}') o
          where task_lacks(s.kind, s.requirements, o.offer) = '{}')
      ), ahead as (
        select first.cost from task cross join lane join rival on rival.id = lane.shape_id
          cross join lateral (
            select t.cost from tasks t
            where t.state = 'queued' and t.shape_id = lane.shape_id
              and t.account_id = lane.account_id and t.virtual_start < task.virtual_start
            limit 1000
          ) first
      ), wanting as (
        select a.plan, sum(a.weight) as weight from accounts a where a.id in (
          select account_id from lane where account_id is not null
          union select account_id from attempts where state = 'running'
        ) group by a.plan
      ), lately as (
        select a.cost, extract(epoch from a.ended_at - a.leased_at) as seconds
        from attempts a join task on task.shape_id = a.shape_id
        where a.state = 'completed' order by a.ended_at desc limit 100
      )
      select jsonb_build_object(
        'kind', task.kind,
        'jobRunning', (select count(*) from attempts
          where job_id = asked_job and state = 'running'),
        'accountRunning', (select count(*) from attempts
          where account_id = task.account_id and state = 'running'),
        'plan', a.plan, 'weight', a.weight, 'burst', a.slots_burst,
        'weights', (select coalesce(jsonb_object_agg(plan, weight), '{}') from wanting),
        'ahead', (select count(*) from ahead),
        'aheadCost', (select coalesce(sum(cost), 0) from ahead),
        'online', (select count(*) from online),
        'slots', (select least(coalesce(sum(least(slots, most)), 0), (select most from farm))
          from pool),
        'used', (select coalesce(sum(used), 0) from pool),
        'missing', (select to_jsonb(lacks) from online
          order by cardinality(lacks), lacks limit 1),
        'starting', (select name from starting),
        'limit', (select jsonb_build_object('pool', pool, 'running', running, 'most', most)
          from full_up),
        'costPerSecond', (select sum(cost) / nullif(sum(seconds), 0) from lately),
        'taskSeconds', (select avg(seconds) from lately)
      )
      from task join accounts a on a.id = task.account_id
    )`
