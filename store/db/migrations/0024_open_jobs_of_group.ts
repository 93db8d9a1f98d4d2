import { type Kysely, sql } from 'kysely'

/** Indexes the open jobs of a shared workflow, which each of its task events looks up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index jobs_open_of_group on jobs (workflow_group)
    where workflow_group is not null and finished_at is null`.execute(db)
}
