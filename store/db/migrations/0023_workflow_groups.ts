import { type Kysely, sql } from 'kysely'

/** Adds the workflow that jobs of a bulk share; null: the job has one of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column workflow_group uuid`.execute(db)
}
