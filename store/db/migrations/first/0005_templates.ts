import { type Kysely, sql } from 'kysely'

/**
 * Adds templates, repeatable submissions (Idempotency-Key), live progress, retention of files, and
 * the list of objects to remove.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const templates = [
  `create table templates (
    id text primary key check (id ~ '^tpl_[A-Za-z0-9]{20}$'),
    account_id uuid not null references accounts on delete cascade,
    name text not null,
    description text not null default '',
    payload jsonb not null,
    type text not null generated always as (coalesce(payload ->> 'type', 'video')) stored,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    archived_at timestamptz
  )`,
  'create index templates_of_account on templates (account_id, created_at desc, id)',
  `select keep_to_account('templates')`,
  // No foreign key: a job outlives the template it was made from.
  'alter table jobs add column template_id text',
  `create index jobs_of_template on jobs (account_id, template_id, created_at desc)
    where template_id is not null`,
]

const idempotency = [
  // `id` names the one act of the key. A request that takes an unfinished act over continues under
  // the same id, and creates its results only once.
  `create table idempotency_keys (
    account_id uuid not null references accounts on delete cascade,
    route text not null,
    key text not null,
    id uuid not null,
    body_sha256 bytea not null check (length(body_sha256) = 32),
    claimed_until timestamptz not null,
    status integer check (status between 200 and 499),
    content_type text,
    answer text,
    created_at timestamptz not null default now(),
    primary key (account_id, route, key),
    check ((status is null) = (answer is null))
  )`,
  'create index idempotency_keys_by_age on idempotency_keys (created_at)',
  `select keep_to_account('idempotency_keys')`,
  'alter table jobs add column submission_id uuid',
]

/** Postgres sends equal notifications of one transaction once. */
const progress = [
  `alter table tasks add column previews integer not null default 0,
    add column preview_attempt integer,
    add column previewed_at timestamptz`,
  `create function tell_of_job() returns trigger language plpgsql as $$
    begin
      perform pg_notify('job_changes', new.id::text);
      return null;
    end $$`,
  `create function tell_of_job_of_task() returns trigger language plpgsql as $$
    begin
      perform pg_notify('job_changes', new.job_id::text);
      return null;
    end $$`,
  `create trigger tell_of_job after update on jobs for each row
    when ((old.state, old.stage, old.frames_total, old.frames_reused)
      is distinct from (new.state, new.stage, new.frames_total, new.frames_reused))
    execute function tell_of_job()`,
  `create trigger tell_of_job_of_task after update on tasks for each row
    when ((old.frames_done, old.previewed_at) is distinct from (new.frames_done, new.previewed_at))
    execute function tell_of_job_of_task()`,
]

const retention = [
  `alter table jobs add column files_expire_at timestamptz,
    add column files_removed_at timestamptz`,
  `update jobs set files_expire_at = now() + interval '30 days' where finished_at is not null`,
  `create index jobs_with_files on jobs (files_expire_at)
    where files_removed_at is null and files_expire_at is not null`,
  'create index artifacts_by_use on artifacts (last_used_at)',
  'create index artifacts_by_object on artifacts (object_key)',
  // Objects to remove from the object store, and the earliest time for it.
  `create table doomed_objects (
    object_key text primary key,
    not_before timestamptz not null
  )`,
  'create index doomed_objects_by_time on doomed_objects (not_before)',
]

const statements = [...templates, ...idempotency, ...progress, ...retention]
