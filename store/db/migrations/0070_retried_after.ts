import { type Kysely, sql } from 'kysely'

/** Adds the attempt after which failures count, once an operator has retried a task. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column retried_after integer not null default 0`.execute(db)
}
