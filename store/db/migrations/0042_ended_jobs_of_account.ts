import { type Kysely, sql } from 'kysely'

/** Finds the jobs of an account that ended lately, for streams of events that continue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index jobs_ended_of_account on jobs (account_id, finished_at)
      where finished_at is not null`.execute(db)
}
