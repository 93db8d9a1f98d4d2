import { type Kysely, sql } from 'kysely'

/** Creates the first schema: accounts and their ledger, jobs, stored objects, queue, outbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table accounts (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    plan text not null,
    credits_balance bigint not null default 0,
    credits_reserved bigint not null default 0 check (credits_reserved >= 0),
    weight double precision not null default 1 check (weight > 0),
    virtual_finish double precision not null default 0,
    created_at timestamptz not null default now(),
    check (credits_balance >= credits_reserved)
  )`,
  `create table api_keys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    name text not null,
    sha256 bytea not null unique check (length(sha256) = 32),
    prefix text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  'create index api_keys_of_account on api_keys (account_id, created_at)',
  `create table jobs (
    id uuid primary key,
    account_id uuid not null references accounts,
    state text not null default 'queued' check (state in
      ('queued', 'resolving', 'rendering', 'assembling', 'completed', 'failed', 'cancelled')),
    state_reason text not null default '',
    stage text,
    type text not null check (type in ('video', 'image')),
    name text not null,
    request jsonb not null,
    credits_reserved bigint not null check (credits_reserved >= 0),
    credits_charged bigint not null default 0
      check (credits_charged between 0 and credits_reserved),
    frames_total integer not null default 0,
    frames_reused integer not null default 0,
    result jsonb,
    error jsonb,
    stages jsonb not null default '{}',
    workflow_started_at timestamptz,
    output_key text,
    thumbnail_key text,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    updated_at timestamptz not null default now(),
    finished_at timestamptz
  )`,
  'create index jobs_of_account on jobs (account_id, created_at desc, id)',
  `create index jobs_queued on jobs (created_at, id) where state = 'queued'`,
  `create table credit_entries (
    id bigint generated always as identity primary key,
    account_id uuid not null references accounts,
    job_id uuid references jobs,
    kind text not null check (kind in ('grant', 'hold', 'capture', 'release')),
    balance_change bigint not null,
    reserved_change bigint not null,
    note text not null default '',
    created_at timestamptz not null default now(),
    check ((kind = 'grant') = (job_id is null))
  )`,
  'create unique index credit_entries_once on credit_entries (job_id, kind)',
  'create index credit_entries_of_account on credit_entries (account_id, id)',
  `create table artifacts (
    account_id uuid not null references accounts on delete cascade,
    kind text not null check (kind in ('media', 'bake', 'segment')),
    digest text not null check (digest ~ '^[0-9a-f]{64}$'),
    object_key text not null,
    bytes bigint not null,
    facts jsonb not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    primary key (account_id, kind, digest)
  )`,
  `create table nodes (
    id uuid primary key,
    name text not null,
    version text not null,
    state text not null check (state in ('active', 'draining')),
    offer jsonb not null,
    registered_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now()
  )`,
  `create table tasks (
    id uuid primary key default gen_random_uuid(),
    job_id uuid not null references jobs on delete cascade,
    account_id uuid not null references accounts,
    name text not null,
    kind text not null,
    spec jsonb not null,
    inputs jsonb not null,
    outputs jsonb not null,
    requirements jsonb not null,
    state text not null default 'queued'
      check (state in ('queued', 'leased', 'completed', 'failed', 'cancelled')),
    attempt integer not null default 0,
    node_id uuid,
    lease_expires_at timestamptz,
    virtual_start double precision not null default 0,
    cost double precision not null check (cost > 0),
    frames_total integer not null,
    frames_done integer not null default 0,
    failed_nodes uuid[] not null default '{}',
    result jsonb,
    error jsonb,
    log_tail text,
    task_token bytea not null,
    created_at timestamptz not null default now(),
    leased_at timestamptz,
    finished_at timestamptz,
    unique (job_id, name),
    check ((state = 'leased') = (lease_expires_at is not null))
  )`,
  `create index tasks_queued on tasks (virtual_start, created_at, id) where state = 'queued'`,
  `create index tasks_leased on tasks (lease_expires_at) where state = 'leased'`,
  `create table task_words (
    id bigint generated always as identity primary key,
    task_id uuid not null references tasks on delete cascade,
    token bytea not null,
    outcome jsonb not null,
    created_at timestamptz not null default now(),
    claimed_until timestamptz,
    sent_at timestamptz
  )`,
  // A task ends once, so it has one event.
  'create unique index task_words_once on task_words (task_id)',
  'create index task_words_unsent on task_words (id) where sent_at is null',
  `create index jobs_unstarted on jobs (created_at)
    where workflow_started_at is null and state = 'queued'`,
  `create table farm_clock (
    single_row boolean primary key default true check (single_row),
    virtual_time double precision not null
  )`,
  'insert into farm_clock (virtual_time) values (0)',
]
