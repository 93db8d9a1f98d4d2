import { type Kysely, sql } from 'kysely'

/** Allows a film's encoded sound as an artifact, like its segments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table artifacts drop constraint artifacts_kind_check`.execute(db)
  await sql`
    alter table artifacts add constraint artifacts_kind_check
    check (kind in ('media', 'bake', 'segment', 'sound'))`.execute(db)
}
