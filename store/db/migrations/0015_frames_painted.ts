import { type Kysely, sql } from 'kysely'

/** Of a job's frames that were rendered for it, those that had to be painted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column frames_painted integer not null default 0`.execute(db)
  // What each account has in the store is added up from this alone.
  await sql`create index artifacts_of_account on artifacts (account_id) include (bytes)`.execute(db)
}
