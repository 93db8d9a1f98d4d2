import { type Kysely, sql } from 'kysely'

/** Adds the earlier versions of drafts, and quotes: prices that are kept for one job each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table project_versions (
    project_id text not null references projects on delete cascade,
    version integer not null,
    account_id uuid not null references accounts on delete cascade,
    name text not null,
    payload jsonb not null,
    updated_at timestamptz not null,
    primary key (project_id, version)
  )`,
  `select keep_to_account('project_versions')`,
  // No foreign keys to draft and template: without them a quote refuses. `act_id` is the job's id, or
  // the seed of the bulk's.
  `create table quotes (
    id text primary key check (id ~ '^qt_[A-Za-z0-9]{20}$'),
    account_id uuid not null references accounts on delete cascade,
    act_id uuid not null unique,
    bulk_id text unique,
    request jsonb not null,
    template_id text,
    project_id text,
    credits bigint not null,
    credits_most bigint not null,
    exact boolean not null,
    seconds double precision not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  'create index quotes_by_age on quotes (expires_at)',
  'create index quotes_of_account on quotes (account_id, created_at desc)',
  `select keep_to_account('quotes')`,
]
