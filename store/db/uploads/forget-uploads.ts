import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Longer than a request may take. */
const brokenOffHours = 24
/** A node that has just begun to read a deleted one may end. */
const graceHours = 1

/** Forgets uploads that were deleted or broke off, and schedules their objects. @returns how many */
export async function forgetUploads(db: Db, { limit }: { limit: number }): Promise<number> {
  const { rows } = await sql<{ forgotten: number }>`
    with over as (
      select id from uploads
      where deleted_at < now() - make_interval(hours => ${graceHours})
        or (stored_at is null and deleted_at is null
          and created_at < now() - make_interval(hours => ${brokenOffHours}))
      limit ${limit} for update skip locked
    ), forgotten as (
      delete from uploads using over where uploads.id = over.id returning object_key
    ), doomed as (
      insert into doomed_objects (object_key, not_before) select object_key, now() from forgotten
      on conflict (object_key) do nothing
    )
    select count(*) as forgotten from forgotten`.execute(db)
  return rows[0]?.forgotten ?? 0
}
