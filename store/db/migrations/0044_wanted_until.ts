import { type Kysely, sql } from 'kysely'

/**
 * Lets a play's raise end: the time until which players want a task, and the start tag that a queued
 * task had before players moved it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column wanted_until timestamptz,
    add column own_start double precision`.execute(db)
  await sql`create index tasks_wanted on tasks (wanted_until) where wanted_until is not null`.execute(
    db,
  )
  await sql`create index tasks_moved on tasks (shape_id, account_id)
    where state = 'queued' and own_start is not null`.execute(db)
}
