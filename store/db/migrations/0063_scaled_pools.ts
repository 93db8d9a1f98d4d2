import { type Kysely, sql } from 'kysely'

/** Adds the pools that an autoscaler asks about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scaled_pools (
      name text primary key,
      asked_at timestamptz not null default now()
    )`.execute(db)
}
