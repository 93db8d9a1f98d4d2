import { type Kysely, sql } from 'kysely'

/** Every certificate that `farm certs node` made: which node may show it, and with which token. */
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
