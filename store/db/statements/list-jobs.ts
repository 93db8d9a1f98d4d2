import { sql } from 'kysely'
import type { JobState } from '../../../core/jobs.ts'
import type { Db } from '../database.ts'
import { type JobView, readJobs } from './get-job.ts'

/** One page of an account's jobs, newest first, and how many match in all. `page` starts at 1. */
export async function listJobs(
  db: Db,
  {
    accountId,
    state,
    page,
    pageSize,
  }: { accountId: string; state?: JobState; page: number; pageSize: number },
): Promise<{ readonly jobs: readonly JobView[]; readonly total: number }> {
  const condition =
    state === undefined
      ? sql`j.account_id = ${accountId}`
      : sql`j.account_id = ${accountId} and j.state = ${state}`
  const [jobs, { rows }] = await Promise.all([
    readJobs(db, condition, { limit: pageSize, offset: (page - 1) * pageSize }),
    sql<{ total: number }>`select count(*) as total from jobs j where ${condition}`.execute(db),
  ])
  return { jobs, total: rows[0]?.total ?? 0 }
}
