import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Time for which operators can look into a preview whose files are gone. */
const keptDays = 1

/** Deletes old previews with their tasks. @returns how many */
export async function forgetPreviews(db: Db, { limit }: { limit: number }): Promise<number> {
  const { rows } = await sql<{ forgotten: number }>`
    with old as (
      select id from jobs
      where preview is not null and files_removed_at < now() - make_interval(days => ${sql.lit(keptDays)})
      limit ${limit} for update skip locked
    ), gone as (
      delete from jobs using old where jobs.id = old.id returning jobs.id
    )
    select count(*)::int as forgotten from gone`.execute(db)
  return rows[0]?.forgotten ?? 0
}
