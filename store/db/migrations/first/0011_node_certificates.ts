import { type Kysely, sql } from 'kysely'

/** Adds every certificate that `farm certs node` makes: its node and its token. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table node_certificates (
      fingerprint text primary key,
      node_id uuid not null,
      node_name text not null,
      token_hash text not null,
      issued_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      revoked_why text
    )`.execute(db)
  await sql`create index on node_certificates (node_id)`.execute(db)
}
