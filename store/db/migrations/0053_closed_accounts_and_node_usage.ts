import { type Kysely, sql } from 'kysely'

/** Lets operators close accounts, and keeps what nodes tell of their processor, memory and disk. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column closed_at timestamptz`.execute(db)
  await sql`alter table nodes add column usage jsonb`.execute(db)
}
