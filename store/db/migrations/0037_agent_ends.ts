import { type Kysely, sql } from 'kysely'

/** Adds a channel for ends of agents' grants, so that calls under way end wherever they run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_of_agent_end() returns trigger language plpgsql as $$
    begin
      perform pg_notify('agent_ends', old.id::text);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger tell_of_agent_end after update of revoked_at on agent_grants for each row
      when (old.revoked_at is null and new.revoked_at is not null)
      execute function tell_of_agent_end()`.execute(db)
  // A user who is removed takes their grants along.
  await sql`
    create trigger tell_of_agent_removal after delete on agent_grants for each row
      when (old.revoked_at is null)
      execute function tell_of_agent_end()`.execute(db)
}
