import { type Kysely, sql } from 'kysely'

/** Indexes a job's deliveries by its id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index webhook_deliveries_of_job on webhook_deliveries (job_id, created_at desc, id)`.execute(
    db,
  )
}
