import { type Kysely, sql } from 'kysely'

/**
 * Keeps the newest lines of logs that operators follow while attempts run. The table is unlogged: a
 * crash of the server may lose them, and nodes send them again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table live_logs (
    task_id uuid not null references tasks on delete cascade,
    attempt integer not null,
    followed_until timestamptz not null,
    lines integer not null default 0,
    log text not null default '',
    primary key (task_id, attempt)
  )`.execute(db)
  await sql`create index live_logs_followed on live_logs (followed_until)`.execute(db)
}
