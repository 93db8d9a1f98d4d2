import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type JobView, readJobs } from './get-job.ts'

/**
 * Lists an account's open jobs, which may have changed at any time, and those that ended since, newest
 * first.
 */
export async function listChangedJobs(
  db: Db,
  { accountId, since, most }: { accountId: string; since: Date; most: number },
): Promise<readonly JobView[]> {
  const condition = sql`j.id in (
    select id from jobs where account_id = ${accountId} and finished_at is null
    union all
    select id from jobs where account_id = ${accountId} and finished_at >= ${since}
  )`
  return await readJobs(db, condition, { limit: most, offset: 0 })
}
