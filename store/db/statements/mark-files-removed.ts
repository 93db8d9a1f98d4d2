import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** These jobs have no files any more, and no addresses of any are made. What they were made of goes with them. */
export async function markFilesRemoved(db: Db, jobIds: readonly string[]): Promise<void> {
  await sql`
    update tasks set spec = spec - 'draft'
    where job_id = any(${jobIds}::uuid[]) and kind = 'make'`.execute(db)
  await sql`
    update jobs set files_removed_at = now(), output_key = null, thumbnail_key = null
    where id = any(${jobIds}::uuid[])`.execute(db)
}
