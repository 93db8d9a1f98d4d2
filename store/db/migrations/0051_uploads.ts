import { type Kysely, sql } from 'kysely'

/** Adds media that customers upload. Bytes count from the moment that an upload begins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table uploads (
    id text primary key check (id ~ '^upl_[A-Za-z0-9]{20}$'),
    account_id uuid not null references accounts on delete cascade,
    object_key text not null,
    digest text,
    bytes bigint not null,
    kind text not null check (kind in ('image', 'video', 'audio')),
    media_type text not null,
    name text not null,
    created_at timestamptz not null default now(),
    stored_at timestamptz,
    deleted_at timestamptz,
    check (stored_at is null or digest is not null)
  )`,
  `create unique index uploads_by_digest on uploads (account_id, digest)
    where stored_at is not null and deleted_at is null`,
  'create index uploads_of_account on uploads (account_id, created_at desc, id)',
  `create index uploads_over on uploads (created_at)
    where stored_at is null or deleted_at is not null`,
  `select keep_to_account('uploads')`,
]
