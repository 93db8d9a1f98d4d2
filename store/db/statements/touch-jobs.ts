import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Notes that these jobs were looked at and are well, so that others are looked at next. */
export async function touchJobs(db: Db, jobIds: readonly string[]): Promise<void> {
  await sql`
    update jobs set updated_at = now()
    where id = any(${jobIds}::uuid[]) and finished_at is null`.execute(db)
}
