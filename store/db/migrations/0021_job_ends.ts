import { type Kysely, sql } from 'kysely'

/** Adds a channel for ends of jobs, so that its listeners hear of nothing else. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function tell_of_job() returns trigger language plpgsql as $$
    begin
      perform pg_notify('job_changes', new.id::text);
      if old.finished_at is null and new.finished_at is not null then
        perform pg_notify('job_ends', new.id::text);
      end if;
      return null;
    end $$`.execute(db)
}
