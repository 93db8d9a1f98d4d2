import { type Kysely, sql } from 'kysely'

/**
 * Adds users and sessions, scopes and caps of keys, and the walls between accounts (decision 0015).
 * A later table of customers' rows has an `account_id` and calls `select
 * keep_to_account('the_table')`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...tables, ...walls]) await sql.raw(statement).execute(db)
}

const tables = [
  `create table users (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    email text not null,
    password text not null,
    first_name text not null default '',
    last_name text not null default '',
    email_verified boolean not null default false,
    created_at timestamptz not null default now()
  )`,
  'create unique index users_email on users (lower(email))',
  'create index users_of_account on users (account_id, created_at)',
  `create table sessions (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    user_id uuid not null references users on delete cascade,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    end_reason text not null default ''
  )`,
  'create index sessions_of_user on sessions (user_id)',
  `create table refresh_tokens (
    sha256 bytea primary key check (length(sha256) = 32),
    account_id uuid not null references accounts on delete cascade,
    session_id uuid not null references sessions on delete cascade,
    created_at timestamptz not null default now(),
    used_at timestamptz
  )`,
  'create index refresh_tokens_of_session on refresh_tokens (session_id)',
  // Keyed by the sha256 of the attempt's subject, so that an unknown email is counted and not kept.
  `create table sign_in_failures (
    subject bytea primary key check (length(subject) = 32),
    failures integer not null,
    window_ends timestamptz not null
  )`,
  `alter table api_keys
    add column scopes text[],
    add column expires_at timestamptz,
    add column credit_cap bigint check (credit_cap >= 0),
    add column credits_spent bigint not null default 0 check (credits_spent >= 0),
    add check (credits_spent <= credit_cap)`,
  `create table api_key_usage (
    key_id uuid not null references api_keys on delete cascade,
    account_id uuid not null references accounts on delete cascade,
    day date not null,
    requests bigint not null,
    primary key (key_id, day)
  )`,
  'alter table jobs add column api_key_id uuid references api_keys on delete set null',
  `create index jobs_of_key on jobs (api_key_id, created_at) where api_key_id is not null`,
]

const walls = [
  // A role belongs to the whole cluster: another farm, or an operator, may have created it already.
  `do $$ begin
    if not exists (select from pg_roles where rolname = 'farm_customer') then
      create role farm_customer nologin;
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$`,
  // The creator of a role may not assume it without a grant (Postgres 16 and later), unless a
  // superuser.
  `do $$ begin
    set local role farm_customer;
    reset role;
  exception when insufficient_privilege then
    execute format('grant farm_customer to %I', current_user);
  end $$`,
  `do $$ begin
    execute format('grant usage on schema %I to farm_customer', current_schema());
  end $$`,
  // Null without an account; null equals nothing, so no rows match.
  `create function current_account() returns uuid language sql stable parallel safe
    as $$ select nullif(current_setting('farm.account', true), '')::uuid $$`,
  `create function keep_to_account(kept regclass) returns void language plpgsql as $$ begin
    execute format('alter table %s enable row level security', kept);
    execute format('create policy own_rows on %s to farm_customer
      using (account_id = current_account()) with check (account_id = current_account())', kept);
    execute format('grant select, insert, update, delete on %s to farm_customer', kept);
  end $$`,
  ...[
    ...['api_keys', 'api_key_usage', 'credit_entries', 'jobs', 'artifacts', 'tasks'],
    ...['users', 'sessions', 'refresh_tokens'],
  ].map((table) => `select keep_to_account('${table}')`),
  'alter table accounts enable row level security',
  `create policy own_row on accounts to farm_customer
    using (id = current_account()) with check (id = current_account())`,
  'grant select, update (credits_balance, credits_reserved) on accounts to farm_customer',
  // Tasks of a cancelled job leave their events to Temporal, which name no account.
  'grant insert, select (id) on task_words to farm_customer',
  // A place in the queue counts the jobs of all accounts, and reveals nothing else of them.
  `create function queue_position(created timestamptz, job uuid) returns bigint
    language sql stable security definer
    return (select count(*) from jobs
      where state = 'queued' and (created_at, id) <= (created, job))`,
]
