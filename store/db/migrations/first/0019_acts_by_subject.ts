import { type Kysely, sql } from 'kysely'

/** Indexes the history of one node or account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index operator_acts_of on operator_acts (subject, id)`.execute(db)
}
