import { type Kysely, sql } from 'kysely'

/** Adds how a node came by its certificate, the pool that binds it, and invitations of machines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table node_certificates add column pool text,
    add column enrolled_as text check (enrolled_as in ('pod', 'machine')),
    add check ((pool is null) = (enrolled_as is null))`,
  `create index node_certificates_enrolled on node_certificates (expires_at)
    where enrolled_as is not null and revoked_at is null`,
  `create table invitations (
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    pool text not null,
    uses integer not null check (uses > 0),
    used integer not null default 0 check (used between 0 and uses),
    made_by text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz
  )`,
  'create index invitations_by_end on invitations (expires_at)',
]
