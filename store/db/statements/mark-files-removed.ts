import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** These jobs have no files any more, and no addresses of any are made. */
export async function markFilesRemoved(db: Db, jobIds: readonly string[]): Promise<void> {
  await sql`
    update jobs set files_removed_at = now(), output_key = null, thumbnail_key = null
    where id = any(${jobIds}::uuid[])`.execute(db)
}
