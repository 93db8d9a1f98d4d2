import { type Kysely, sql } from 'kysely'

/**
 * A preview is a job that its account never sees: no credits, no webhooks, no place in its lists.
 * One policy hides it from every statement that runs in a customer's name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column preview jsonb`.execute(db)
  await sql`
    create policy no_previews on jobs as restrictive to farm_customer
      using (preview is null) with check (preview is null)`.execute(db)
  await sql`
    create index jobs_previews on jobs (account_id, (preview->>'fingerprint'), created_at)
      where preview is not null`.execute(db)
  await sql`
    create unique index jobs_open_previews on jobs (account_id, (preview->>'fingerprint'))
      where preview is not null and finished_at is null`.execute(db)
}
