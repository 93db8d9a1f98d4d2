import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Longer than a request may take. */
const brokenOffHours = 24
/** A node that has just begun to read a deleted one may end. */
const graceHours = 1
/** An account that was closed by mistake is resumed within this time. */
const closedDays = 30

/**
 * Forgets uploads that were deleted or broke off, and those of accounts closed long ago, and schedules
 * their objects. @returns how many
 */
export async function forgetUploads(db: Db, { limit }: { limit: number }): Promise<number> {
  await sql`
    update uploads u set deleted_at = now() from accounts a
    where a.id = u.account_id and a.closed_at < now() - make_interval(days => ${closedDays})
      and u.deleted_at is null`.execute(db)
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
