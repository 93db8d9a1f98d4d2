import { type Kysely, sql } from 'kysely'

/** Allows operators to suspend accounts, and to correct balances downwards. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column suspended_at timestamptz`.execute(db)
  await sql`
    alter table credit_entries
      drop constraint credit_entries_kind_check,
      drop constraint credit_entries_owner,
      add constraint credit_entries_kind_check
        check (kind in ('grant', 'correction', 'hold', 'top_up', 'capture', 'release')),
      add constraint credit_entries_owner check (
        (kind in ('grant', 'correction')) = (job_id is null and bulk_id is null)
        and (bulk_id is null or (kind = 'hold' and job_id is null)))`.execute(db)
}
