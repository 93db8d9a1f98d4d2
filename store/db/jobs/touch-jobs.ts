import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Records that these jobs were checked and are well, so that others are next. Rows are locked in
 * one order: no deadlocks with the stages of several jobs.
 */
export async function touchJobs(db: Db, jobIds: readonly string[]): Promise<void> {
  await sql`
    update jobs set updated_at = now() from (
      select id from jobs where id = any(${jobIds}::uuid[]) and finished_at is null
      order by id for no key update
    ) as taken where jobs.id = taken.id`.execute(db)
}
