import { type Kysely, sql } from 'kysely'

/**
 * Adds an endpoint's public id, `whk_` and 20 letters or digits. Null: an older endpoint, which
 * shows its UUID.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhooks add column public_id text unique
      check (public_id ~ '^whk_[A-Za-z0-9]{20}$')`.execute(db)
}
