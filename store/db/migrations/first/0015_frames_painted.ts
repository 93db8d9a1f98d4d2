import { type Kysely, sql } from 'kysely'

/** Adds the number of frames that had to be painted, out of those rendered for a job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column frames_painted integer not null default 0`.execute(db)
  // An account's stored bytes are summed from this index alone.
  await sql`create index artifacts_of_account on artifacts (account_id) include (bytes)`.execute(db)
}
