import { type Kysely, sql } from 'kysely'

/**
 * Adds the medium that each URL led to at its last fetch. `asked_at`: time when that fetch was
 * ordered. No job gets a medium that was ordered before its own submission, unless the origin said
 * that it stays (`fresh_until`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table fetched_media (
      account_id uuid not null references accounts on delete cascade,
      url_digest text not null,
      expect text not null,
      digest text not null,
      facts jsonb not null,
      etag text,
      last_modified text,
      asked_at timestamptz not null,
      fresh_until timestamptz not null,
      primary key (account_id, url_digest, expect)
    )`.execute(db)
  await sql`create index on fetched_media (asked_at)`.execute(db)
  await sql`select keep_to_account('fetched_media')`.execute(db)
}
