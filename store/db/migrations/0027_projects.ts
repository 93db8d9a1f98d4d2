import { type Kysely, sql } from 'kysely'

/** Adds drafts: payloads stored under a name as they are, valid or not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table projects (
    id text primary key check (id ~ '^prj_[A-Za-z0-9]{20}$'),
    account_id uuid not null references accounts on delete cascade,
    name text not null,
    payload jsonb not null check (jsonb_typeof(payload) = 'object'),
    type text not null generated always as (
      case payload ->> 'type' when 'image' then 'image' else 'video' end
    ) stored,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  'create index projects_of_account on projects (account_id, created_at desc, id)',
  `select keep_to_account('projects')`,
]
