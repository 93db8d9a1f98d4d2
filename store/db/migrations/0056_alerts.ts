import { type Kysely, sql } from 'kysely'

/** Adds alerts of the farm, the receivers that operators name, and the notices to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table alerts (
    id uuid primary key default gen_random_uuid(),
    alert text not null,
    place text not null,
    severity text not null check (severity in ('page', 'ticket')),
    words text not null,
    found_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    raised_at timestamptz,
    ended_at timestamptz
  )`,
  'create unique index alerts_open on alerts (alert, place) where ended_at is null',
  'create index alerts_ended on alerts (ended_at) where ended_at is not null',
  `create table notice_receivers (
    id uuid primary key default gen_random_uuid(),
    name text not null unique,
    form text not null check (form in ('json', 'slack', 'pagerduty')),
    host text not null,
    sealed bytea not null,
    seal_key text not null,
    only_pages boolean not null,
    made_by text not null,
    created_at timestamptz not null default now()
  )`,
  `create table notices (
    id bigint primary key generated always as identity,
    receiver_id uuid not null references notice_receivers on delete cascade,
    alert_id uuid not null,
    state text not null check (state in ('raised', 'ended')),
    alert text not null,
    severity text not null,
    words text not null,
    created_at timestamptz not null default now(),
    attempts int not null default 0,
    next_at timestamptz default now(),
    sent_at timestamptz,
    error text
  )`,
  'create index notices_due on notices (next_at) where next_at is not null',
  'create index notices_of_receiver on notices (receiver_id, id)',
]
