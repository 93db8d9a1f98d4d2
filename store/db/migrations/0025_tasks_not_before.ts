import { type Kysely, sql } from 'kysely'

/** A queued task that asks a customer's address again is leased to nobody before its time (decision 0082). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column not_before timestamptz`.execute(db)
  await sql`
    create index tasks_not_before on tasks (not_before)
    where state = 'queued' and not_before is not null`.execute(db)
}
