import { type Kysely, sql } from 'kysely'

/**
 * Adds endpoints, their deliveries (which are the outbox to Temporal as well), and one-off
 * callbacks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table webhooks (
    id uuid primary key,
    account_id uuid not null references accounts on delete cascade,
    url text not null,
    events text[] not null check (cardinality(events) > 0),
    description text not null default '',
    status text not null default 'active' check (status in ('active', 'disabled')),
    secret text not null,
    previous_secret text,
    previous_secret_until timestamptz,
    exhausted_in_row integer not null default 0,
    disabled_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  'create index webhooks_of_account on webhooks (account_id, created_at, id)',
  `create table webhook_deliveries (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    webhook_id uuid references webhooks on delete cascade,
    url text,
    target text not null,
    event text not null check (event in ('render.completed', 'render.failed')),
    job_id uuid not null,
    test boolean not null default false,
    body text not null,
    status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
    failed_reason text,
    attempts jsonb not null default '[]',
    next_attempt_at timestamptz default now(),
    claimed_until timestamptz,
    started_at timestamptz,
    created_at timestamptz not null default now(),
    check ((webhook_id is null) <> (url is null)),
    check ((status = 'pending') = (next_attempt_at is not null))
  )`,
  `create index webhook_deliveries_of_webhook on webhook_deliveries
    (webhook_id, created_at desc, id)`,
  `create index webhook_deliveries_pending on webhook_deliveries (account_id, target, created_at, id)
    where status = 'pending'`,
  `create index webhook_deliveries_ended on webhook_deliveries (created_at)
    where status <> 'pending'`,
  'alter table jobs add column webhook_url text',
  `select keep_to_account('webhooks')`,
  `select keep_to_account('webhook_deliveries')`,
]
