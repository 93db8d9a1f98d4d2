import { type Kysely, sql } from 'kysely'

/** Notifies of a running shard's finished outputs, for which players may wait. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create function tell_of_job_of_attempt() returns trigger language plpgsql as $$
    begin
      perform pg_notify('job_changes', (select job_id::text from tasks where id = new.task_id));
      return null;
    end $$`.execute(db)
  await sql`create trigger tell_of_job_of_attempt after update on attempts for each row
    when (old.written is distinct from new.written)
    execute function tell_of_job_of_attempt()`.execute(db)
}
