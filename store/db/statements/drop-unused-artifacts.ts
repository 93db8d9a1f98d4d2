import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** As long as the shortest plan keeps files: nothing of a film stays behind in its segments. */
const unusedDays = 7
/** A job that found one in the moment it was dropped still has it for a day. */
const graceHours = 24

/** Forgets what no job has asked for lately, and dooms its objects. @returns how many */
export async function dropUnusedArtifacts(db: Db, { limit }: { limit: number }): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    with unused as (
      select account_id, kind, digest from artifacts
      where last_used_at < now() - make_interval(days => ${unusedDays})
      order by last_used_at limit ${limit} for update skip locked
    ), dropped as (
      delete from artifacts using unused
      where artifacts.account_id = unused.account_id and artifacts.kind = unused.kind
        and artifacts.digest = unused.digest
      returning object_key
    ), doomed as (
      insert into doomed_objects (object_key, not_before)
      select distinct object_key, now() + make_interval(hours => ${graceHours}) from dropped
      on conflict (object_key) do nothing
    )
    select count(*) as dropped from dropped`.execute(db)
  return rows[0]?.dropped ?? 0
}
