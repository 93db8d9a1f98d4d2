import { type Kysely, sql } from 'kysely'

/** Lists the deliveries of an account over all its receivers, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index webhook_deliveries_of_account
      on webhook_deliveries (account_id, created_at desc, id)`.execute(db)
}
