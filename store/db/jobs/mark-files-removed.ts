import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Marks the files of these jobs as removed; no more addresses of them are made. Their drafts are
 * removed as well.
 */
export async function markFilesRemoved(db: Db, jobIds: readonly string[]): Promise<void> {
  await sql`
    update tasks set spec = spec - 'draft'
    where job_id = any(${jobIds}::uuid[]) and kind = 'make'`.execute(db)
  await sql`
    update jobs set files_removed_at = now(), output_key = null, thumbnail_key = null
    where id = any(${jobIds}::uuid[])`.execute(db)
}
