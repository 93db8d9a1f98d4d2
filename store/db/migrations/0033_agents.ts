import { type Kysely, sql } from 'kysely'

/**
 * Adds what agents need to sign in: their grants, which an account's users see, and the farm's own
 * list of clients and tokens, which are looked up before any account is known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...tables, ...spending]) await sql.raw(statement).execute(db)
}

const tables = [
  `create table agent_grants (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    user_id uuid not null references users on delete cascade,
    client_id text not null,
    client_name text not null,
    redirect_host text not null,
    profile text not null check (profile in ('readonly', 'creator', 'automation', 'developer')),
    render_cap bigint not null default 120 check (render_cap >= 0),
    total_cap bigint check (total_cap >= 0),
    bulk_cap integer not null default 25 check (bulk_cap >= 0),
    credits_spent bigint not null default 0 check (credits_spent >= 0),
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    revoke_reason text not null default ''
  )`,
  'create index agent_grants_of_account on agent_grants (account_id, created_at)',
  'create index agent_grants_of_user on agent_grants (user_id) where revoked_at is null',
  `select keep_to_account('agent_grants')`,
  `create table oauth_clients (
    id_sha256 bytea primary key check (length(id_sha256) = 32),
    metadata jsonb not null,
    secret text,
    created_from text not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  'create index oauth_clients_by_origin on oauth_clients (created_from, created_at)',
  // A code, token or interaction is known by its hash; its payload and its successor are sealed
  // under the value itself.
  `create table oauth_tokens (
    sha256 bytea primary key check (length(sha256) = 32),
    kind text not null check (kind in ('code', 'access', 'refresh', 'interaction')),
    grant_id uuid references agent_grants on delete cascade,
    payload text not null,
    successor text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    consumed_at timestamptz,
    check ((kind = 'interaction') = (grant_id is null))
  )`,
  'create index oauth_tokens_of_grant on oauth_tokens (grant_id) where grant_id is not null',
  'create index oauth_tokens_expiry on oauth_tokens (expires_at)',
]

const spending = ['jobs', 'bulks'].flatMap((table) => [
  `alter table ${table}
    add column agent_grant_id uuid references agent_grants on delete set null`,
  `create index ${table}_of_agent on ${table} (agent_grant_id) where agent_grant_id is not null`,
])
