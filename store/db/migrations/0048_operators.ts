import { type Kysely, sql } from 'kysely'

/** Adds operators with sessions of their own. They belong to no account, so no customer sees a row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table operators (
    id uuid primary key default gen_random_uuid(),
    email text not null,
    password text not null,
    role text not null check (role in ('viewer', 'operator', 'admin')),
    made_by text not null,
    created_at timestamptz not null default now(),
    disabled_at timestamptz
  )`,
  'create unique index operators_email on operators (lower(email))',
  `create table operator_sessions (
    id uuid primary key default gen_random_uuid(),
    operator_id uuid not null references operators on delete cascade,
    user_agent text not null default '',
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    confirmed_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    end_reason text not null default ''
  )`,
  'create index operator_sessions_of on operator_sessions (operator_id)',
  `create table operator_refresh_tokens (
    sha256 bytea primary key check (length(sha256) = 32),
    session_id uuid not null references operator_sessions on delete cascade,
    created_at timestamptz not null default now(),
    used_at timestamptz,
    used_by text,
    successor text
  )`,
  'create index operator_refresh_tokens_of on operator_refresh_tokens (session_id)',
  `create table operator_sign_in_codes (
    sha256 bytea primary key check (length(sha256) = 32),
    operator_id uuid not null references operators on delete cascade,
    expires_at timestamptz not null
  )`,
]
