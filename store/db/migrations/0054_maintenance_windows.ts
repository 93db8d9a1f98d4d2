import { type Kysely, sql } from 'kysely'

/** Adds maintenance windows of a node or a pool, and the nodes that each has cordoned. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table maintenance_windows (
    id uuid primary key default gen_random_uuid(),
    node_id uuid references nodes on delete cascade,
    pool text,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    why text not null,
    made_by text not null,
    created_at timestamptz not null default now(),
    began_at timestamptz,
    cancelled_at timestamptz,
    ended_at timestamptz,
    check ((node_id is null) <> (pool is null)),
    check (ends_at > starts_at)
  )`,
  'create index maintenance_open on maintenance_windows (starts_at) where ended_at is null',
  `create table maintenance_nodes (
    window_id uuid not null references maintenance_windows on delete cascade,
    node_id uuid not null references nodes on delete cascade,
    cordoned_at timestamptz not null,
    primary key (window_id, node_id)
  )`,
]
