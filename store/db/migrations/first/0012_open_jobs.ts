import { type Kysely, sql } from 'kysely'

/**
 * Indexes open jobs, which are few beside the ended ones: the sweeper looks for quiet ones every
 * second, and the scheduler's metrics count them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index jobs_open on jobs (state) where finished_at is null`.execute(db)
}
