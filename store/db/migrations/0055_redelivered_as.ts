import { type Kysely, sql } from 'kysely'

/** Remembers which failed deliveries were sent again, so that sending all of them again repeats none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_deliveries add column redelivered_as uuid`.execute(db)
  await sql`
    create index webhook_deliveries_failed on webhook_deliveries (account_id, created_at, id)
      where status = 'failed' and redelivered_as is null`.execute(db)
}
