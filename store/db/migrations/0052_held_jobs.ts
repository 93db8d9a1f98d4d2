import { type Kysely, sql } from 'kysely'

/**
 * Lets operators hold jobs. Their tasks wait as `held`, outside of the indexes of what is queued, so
 * they take no place in a lane.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table jobs add column held_at timestamptz,
    add column hold_reason text not null default '',
    add column resumed_at timestamptz`,
  // Not validated: the narrower check before it held for every row, and a scan would block the queue.
  `alter table tasks drop constraint tasks_state_check,
    add constraint tasks_state_check
      check (state in ('queued', 'held', 'leased', 'completed', 'failed', 'cancelled')) not valid`,
]
