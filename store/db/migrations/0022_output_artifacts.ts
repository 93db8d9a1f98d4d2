import { type Kysely, sql } from 'kysely'

/** A finished file and its thumbnail are kept as their parts are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table artifacts drop constraint artifacts_kind_check`.execute(db)
  await sql`
    alter table artifacts add constraint artifacts_kind_check
    check (kind in ('media', 'bake', 'segment', 'sound', 'output', 'thumbnail'))`.execute(db)
}
