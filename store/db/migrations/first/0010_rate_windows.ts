import { type Kysely, sql } from 'kysely'

/**
 * Counts the requests that each key and each account has left in this minute. Unlogged: a crash
 * loses at most a minute of counting, and a request must not wait for a disk.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table rate_windows (
    subject text primary key,
    minute timestamptz not null,
    used integer not null,
    granted integer not null
  )`.execute(db)
}
