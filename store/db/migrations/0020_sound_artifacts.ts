import { type Kysely, sql } from 'kysely'

/** A film's sound, encoded, is kept as its segments are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table artifacts drop constraint artifacts_kind_check`.execute(db)
  await sql`
    alter table artifacts add constraint artifacts_kind_check
    check (kind in ('media', 'bake', 'segment', 'sound'))`.execute(db)
}
