import { type Kysely, sql } from 'kysely'

/**
 * Sends ends of API keys on the channel of agents' ends, and adds columns for sealed drafts and quotes.
 * Rows from before keep their text until the janitor seals them; a later migration drops its columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...ends, ...sealed]) await sql.raw(statement).execute(db)
}

const ends = [
  `create trigger tell_of_key_end after update of revoked_at on api_keys for each row
    when (old.revoked_at is null and new.revoked_at is not null)
    execute function tell_of_agent_end()`,
  `create trigger tell_of_key_removal after delete on api_keys for each row
    when (old.revoked_at is null)
    execute function tell_of_agent_end()`,
  `create function tell_of_suspension() returns trigger language plpgsql as $$
    begin
      perform pg_notify('agent_ends', id::text) from api_keys
        where account_id = new.id and revoked_at is null;
      return null;
    end $$`,
  `create trigger tell_of_suspension after update of suspended_at on accounts for each row
    when (old.suspended_at is null and new.suspended_at is not null)
    execute function tell_of_suspension()`,
]

// The text of a row is in `sealed`, under the key `seal_key`, or in the column from before.
const sealed = [
  `alter table projects
    add column sealed bytea,
    add column seal_key text,
    add column sealed_type text check (sealed_type in ('image', 'video')),
    alter column payload drop not null,
    add check (payload is not null or (sealed is not null and sealed_type is not null)),
    add check ((sealed is null) = (seal_key is null))`,
  `alter table project_versions
    add column sealed bytea,
    add column seal_key text,
    alter column payload drop not null,
    add check (payload is not null or sealed is not null),
    add check ((sealed is null) = (seal_key is null))`,
  `alter table quotes
    add column sealed bytea,
    add column seal_key text,
    add column agent_grant_id uuid,
    alter column request drop not null,
    add check (request is not null or sealed is not null),
    add check ((sealed is null) = (seal_key is null))`,
  'create index projects_by_seal on projects (seal_key)',
  'create index project_versions_by_seal on project_versions (seal_key)',
]
