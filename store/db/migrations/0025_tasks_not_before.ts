import { type Kysely, sql } from 'kysely'

/** Adds the earliest lease of a queued task that retries a customer's address (decision 0082). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column not_before timestamptz`.execute(db)
  await sql`
    create index tasks_not_before on tasks (not_before)
    where state = 'queued' and not_before is not null`.execute(db)
}
