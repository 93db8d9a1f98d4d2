import { type Kysely, sql } from 'kysely'

/** Allows a hold to grow once, when a job's media decide the length of its film. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table credit_entries
      drop constraint credit_entries_kind_check,
      add constraint credit_entries_kind_check
        check (kind in ('grant', 'hold', 'top_up', 'capture', 'release'))`.execute(db)
}
