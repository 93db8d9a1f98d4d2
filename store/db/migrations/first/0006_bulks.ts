import { type Kysely, sql } from 'kysely'

/** Adds bulks: the shared part of many jobs, and one hold for all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table bulks (
    id text primary key check (id ~ '^blk_[0-9A-Za-z]{20}$'),
    account_id uuid not null references accounts,
    name text not null,
    base jsonb not null,
    items integer not null check (items > 0),
    refused jsonb not null default '[]',
    workflow_seen_at timestamptz,
    created_at timestamptz not null default now()
  )`,
  'create index bulks_of_account on bulks (account_id, created_at desc, id)',
  `alter table jobs
    add column bulk_id text references bulks,
    add column bulk_index integer,
    add check ((bulk_id is null) = (bulk_index is null))`,
  `create unique index jobs_of_bulk on jobs (bulk_id, bulk_index) where bulk_id is not null`,
  `create index jobs_open_of_bulk on jobs (bulk_id)
    where bulk_id is not null and finished_at is null`,
  `select keep_to_account('bulks')`,
  // A bulk sends a few of its jobs at a time, so its waiting jobs delay no other customer's.
  'drop function queue_position(timestamptz, uuid)',
  `create function queue_position(created timestamptz, job uuid, bulk text) returns bigint
    language sql stable security definer
    return (select count(*) from jobs
      where state = 'queued' and (created_at, id) <= (created, job)
        and (bulk_id is null or workflow_started_at is not null or bulk_id = bulk))`,
  // A bulk is held as one and charged job by job: its hold belongs to no job, and there is one.
  `alter table credit_entries
    add column bulk_id text references bulks,
    drop constraint credit_entries_check,
    add constraint credit_entries_owner check (
      (kind = 'grant') = (job_id is null and bulk_id is null)
      and (bulk_id is null or (kind = 'hold' and job_id is null)))`,
  `create unique index credit_entries_once_a_bulk on credit_entries (bulk_id)
    where bulk_id is not null`,
]
