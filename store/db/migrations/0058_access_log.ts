import { type Kysely, sql } from 'kysely'

/**
 * Adds the log of requests that operators search, a partition for each day (UTC). Writers add the days,
 * the janitor drops them (store/db/access/). No customer reads it: `account` is a plain column.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create sequence access_log_ids',
  `create table access_log (
    id bigint not null default nextval('access_log_ids'),
    at timestamptz not null,
    request_id text not null,
    method text not null,
    path text not null,
    status int not null,
    ms real not null,
    bytes bigint not null,
    remote inet,
    account uuid,
    key_prefix text collate "C",
    user_id uuid,
    agent_id uuid,
    operator_id uuid,
    tool text,
    made text,
    aborted boolean not null
  ) partition by range (at)`,
  'create index access_log_at on access_log (at desc, id desc)',
  'create index access_log_failed on access_log (at desc, id desc) where status >= 400',
  'create index access_log_request on access_log (request_id)',
  `create index access_log_account on access_log (account, at desc, id desc)
    where account is not null`,
  `create index access_log_key on access_log (key_prefix, at desc, id desc)
    where key_prefix is not null`,
  'create index access_log_remote on access_log (remote, at desc, id desc)',
  // Attached once it is complete: that waits for no reader and for no writer of other days.
  `create function add_access_day(day date) returns void language plpgsql as $$
  declare
    part text := 'access_log_' || to_char(day, 'YYYYMMDD');
  begin
    perform pg_advisory_xact_lock(hashtext('access_log'));
    if to_regclass(part) is not null then return; end if;
    execute format('create table %I (like access_log including defaults)', part);
    execute format('alter table access_log attach partition %I for values from (%L) to (%L)', part,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end $$`,
]
