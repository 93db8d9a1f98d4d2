import { type Kysely, sql } from 'kysely'

/** Jobs of a bulk share a workflow; null: the job has one of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column workflow_group uuid`.execute(db)
}
