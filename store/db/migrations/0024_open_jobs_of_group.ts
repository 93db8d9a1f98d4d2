import { type Kysely, sql } from 'kysely'

/** Whether a workflow that jobs share has tasks under way is asked with each word for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index jobs_open_of_group on jobs (workflow_group)
    where workflow_group is not null and finished_at is null`.execute(db)
}
