import { type Kysely, sql } from 'kysely'

/**
 * Attempts get rows of their own (a task may have two at once, and its history is kept), tasks of
 * one shape share a row, accounts get slots, jobs a priority, nodes more states, pools a limit.
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
  // What runs while the farm is brought up to date is done again: its nodes are too old to finish.
  `update tasks set state = 'queued', lease_expires_at = null, frames_done = 0
    where state = 'leased'`,
  'alter table tasks drop column node_id, drop column lease_expires_at, drop column leased_at',
  'drop index tasks_queued',
  // Lanes: the queued tasks of one account and one shape, in their order (lease-tasks.ts).
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
  // Without expires_at: a renewal then touches no index, and what runs is as little as the fleet.
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
]
