import { type Kysely, sql } from 'kysely'

/** A hold grows once, when the media of a job have told how long its film is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table credit_entries
      drop constraint credit_entries_kind_check,
      add constraint credit_entries_kind_check
        check (kind in ('grant', 'hold', 'top_up', 'capture', 'release'))`.execute(db)
}
