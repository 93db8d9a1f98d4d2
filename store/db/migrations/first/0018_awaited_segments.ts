import { type Kysely, sql } from 'kysely'

/**
 * Adds the fingerprints that a job leaves to others, so that it can name the job that it waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column awaited_segments text[] not null default '{}'`.execute(db)
}
