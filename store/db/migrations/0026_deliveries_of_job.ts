import { type Kysely, sql } from 'kysely'

/** What told of a job is read by its id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index webhook_deliveries_of_job on webhook_deliveries (job_id, created_at desc, id)`.execute(
    db,
  )
}
