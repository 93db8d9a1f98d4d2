import { type Kysely, sql } from 'kysely'

/**
 * Gives attempts rows of their own (a task may have two at once, and its history is kept). Tasks of
 * one shape share a row; accounts get slots, jobs a priority, nodes more states, pools a limit.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table task_shapes (
    id bigint generated always as identity primary key,
    kind text not null,
    requirements jsonb not null,
    unique (kind, requirements)
  )`,
  `insert into task_shapes (kind, requirements) select distinct kind, requirements from tasks`,
  `alter table tasks add column shape_id bigint references task_shapes,
    add column media text[] not null default '{}', add column won_attempt integer`,
  `update tasks t set shape_id = s.id,
      won_attempt = case when t.state = 'completed' then t.attempt end
    from task_shapes s where s.kind = t.kind and s.requirements = t.requirements`,
  'alter table tasks alter column shape_id set not null',
  // Tasks that run during the migration are repeated: their nodes are too old to finish.
  `update tasks set state = 'queued', lease_expires_at = null, frames_done = 0
    where state = 'leased'`,
  'alter table tasks drop column node_id, drop column lease_expires_at, drop column leased_at',
  'drop index tasks_queued',
  // Lanes: the queued tasks of one account and one shape, in their order.
  `create index tasks_lanes on tasks (shape_id, account_id, virtual_start, created_at, id)
    where state = 'queued'`,
  `create index tasks_leased on tasks (job_id) where state = 'leased'`,
  `create table attempts (
    task_id uuid not null references tasks on delete cascade,
    attempt integer not null,
    job_id uuid not null,
    account_id uuid not null,
    shape_id bigint not null,
    node_id uuid not null,
    node_class text not null,
    pool text not null,
    cost double precision not null,
    state text not null default 'running' check (state in
      ('running', 'completed', 'failed', 'lost', 'returned', 'cancelled', 'superseded')),
    frames_done integer not null default 0,
    leased_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    error jsonb,
    log_tail text,
    primary key (task_id, attempt),
    check ((state = 'running') = (ended_at is null))
  )`,
  // Leaves out expires_at: a renewal then touches no index, and only running attempts are listed.
  `create index attempts_running on attempts (node_id) where state = 'running'`,
  'create index attempts_of_node on attempts (node_id, leased_at)',
  'create index attempts_of_job on attempts (job_id, node_id)',
  `create index attempts_completed on attempts (ended_at) where state = 'completed'`,
  `create table node_media (
    node_id uuid not null,
    digest text not null,
    used_at timestamptz not null default now(),
    primary key (node_id, digest)
  )`,
  'create index node_media_by_use on node_media (used_at)',
  `create table flows (
    account_id uuid not null references accounts on delete cascade,
    priority text not null,
    virtual_finish double precision not null,
    primary key (account_id, priority)
  )`,
  `insert into flows (account_id, priority, virtual_finish)
    select id, 'normal', virtual_finish from accounts where virtual_finish > 0`,
  `alter table accounts drop column virtual_finish,
    add column slots_guaranteed integer check (slots_guaranteed >= 0),
    add column slots_burst integer check (slots_burst >= 0),
    add column pool text,
    add column node_tags text[] not null default '{}'`,
  `alter table jobs add column priority text not null default 'normal'
    check (priority in ('low', 'normal', 'high'))`,
  `select keep_to_account('attempts'), keep_to_account('flows')`,
  `create table pools (
    name text primary key,
    slots_max integer not null check (slots_max >= 0)
  )`,
  `alter table farm_clock add column slots_max integer check (slots_max >= 0),
    add column swept_at timestamptz not null default now(),
    add column lenient_until timestamptz not null default now()`,
  'alter table nodes drop constraint nodes_state_check',
  `update nodes set state = 'leaving' where state = 'draining'`,
  `alter table nodes add constraint nodes_state_check check (state in
      ('active', 'leaving', 'cordoned', 'draining', 'quarantined')),
    add column state_reason text not null default '',
    add column state_since timestamptz not null default now(),
    add column pause text not null default '',
    add column canary_id uuid,
    add column canary_until timestamptz,
    add column canaries_failed integer not null default 0`,
  `create function task_lacks(kind text, needs jsonb, offer jsonb) returns text[]
    language sql immutable parallel safe as $$
    select coalesce(array_agg(lack), '{}') from (
      select 'a node that does ' || kind as lack where not offer->'kinds' ? kind
      union all
      select 'encoder ' || name from (values (needs->>'encoder'), (needs->>'soundEncoder'))
        as encoders (name) where name is not null and not offer->'encoders' ? name
      union all
      select 'canvas ' || (needs->>'canvas') where needs->>'canvas' <> offer->>'canvas'
      union all
      select 'device ' || (needs->>'device') where needs->>'device' <> offer->>'device'
      union all
      select 'pool ' || (needs->>'pool') where needs->>'pool' <> offer->>'pool'
      union all
      select 'tag ' || tag from jsonb_array_elements_text(needs->'tags') tag
        where not offer->'tags' ? tag
      union all
      select (needs->>name) || ' ' || unit from (values
        ('slots', 'slots', true), ('memoryMb', 'MB of memory', true),
        ('gpuMemoryMb', 'MB of GPU memory', false), ('encoderSessions', 'encoder sessions', true)
      ) as sizes (name, unit, unsaid_is_enough)
      where (needs->>name)::double precision > coalesce((offer->>name)::double precision, 0)
        and not (unsaid_is_enough and coalesce((offer->>name)::double precision, 0) = 0)
    ) lacks $$`,
  // Facts for core/queue/waiting.ts. It reads all accounts' work and reveals only sums of it.
  `create function waiting_facts(asked_job uuid, live_seconds double precision) returns jsonb
    language sql stable security definer
    return (
      with recursive task as (
        select t.shape_id, t.virtual_start, t.cost, t.account_id, s.kind, s.requirements
        from tasks t join task_shapes s on s.id = t.shape_id
        where t.job_id = asked_job and t.state = 'queued'
        order by t.virtual_start, t.created_at, t.id limit 1
      ), online as (
        select n.offer, task_lacks(task.kind, task.requirements, n.offer) as lacks,
          (select count(*) from attempts a where a.node_id = n.id and a.state = 'running') as used
        from nodes n, task where n.state = 'active' and n.pause = ''
          and n.last_seen_at > now() - make_interval(secs => live_seconds)
      ), lane (shape_id, account_id) as (
        select s.id, (select t.account_id from tasks t where t.state = 'queued'
          and t.shape_id = s.id order by t.account_id limit 1) from task_shapes s
        union all
        select l.shape_id, (select t.account_id from tasks t where t.state = 'queued'
          and t.shape_id = l.shape_id and t.account_id > l.account_id
          order by t.account_id limit 1) from lane l where l.account_id is not null
      ), ahead as (
        select first.cost from task cross join lane cross join lateral (
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
        'slots', (select coalesce(sum((offer->>'slots')::integer), 0) from online
          where lacks = '{}'),
        'used', (select coalesce(sum(used), 0) from online where lacks = '{}'),
        'missing', (select to_jsonb(lacks) from online
          order by cardinality(lacks), lacks limit 1),
        'costPerSecond', (select sum(cost) / nullif(sum(seconds), 0) from lately),
        'taskSeconds', (select avg(seconds) from lately)
      )
      from task join accounts a on a.id = task.account_id
    )`,
]
