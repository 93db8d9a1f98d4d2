import { type Kysely, sql } from 'kysely'

/** What the lints said of a job's project when it was submitted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column warnings jsonb not null default '[]'`.execute(db)
}
