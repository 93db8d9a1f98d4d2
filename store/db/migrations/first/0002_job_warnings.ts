import { type Kysely, sql } from 'kysely'

/** Adds the warnings of the lints about a job's project at its submission. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column warnings jsonb not null default '[]'`.execute(db)
}
