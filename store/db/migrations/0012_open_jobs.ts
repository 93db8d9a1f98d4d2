import { type Kysely, sql } from 'kysely'

/**
 * Jobs that have not ended, which are few beside all those that have: the sweeper looks for quiet
 * ones among them every second, and the scheduler's metrics count them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index jobs_open on jobs (state) where finished_at is null`.execute(db)
}
