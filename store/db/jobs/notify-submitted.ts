import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Notifies all replicas of new jobs, as triggers do of changed ones: `job_changes`. */
export async function notifySubmitted(db: Db, jobIds: readonly string[]): Promise<void> {
  await sql`select pg_notify('job_changes', id) from unnest(${jobIds}::text[]) as id`.execute(db)
}
