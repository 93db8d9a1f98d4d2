import { sql } from 'kysely'
import type { JobState } from '../../../core/jobs.ts'
import type { Db } from '../database.ts'
import { type JobView, readJobs } from './get-job.ts'

type Page = { readonly jobs: readonly JobView[]; readonly total: number }

/**
 * One page of an account's jobs, newest first, or of a bulk's jobs in its order, and how many match in all. `page` starts at 1.
 */
export async function listJobs(
  db: Db,
  {
    accountId,
    bulkId = null,
    state = null,
    page,
    pageSize,
  }: {
    accountId: string
    bulkId?: string | null
    state?: JobState | null
    page: number
    pageSize: number
  },
): Promise<Page> {
  const condition = sql`j.account_id = ${accountId}
    and (${bulkId}::text is null or j.bulk_id = ${bulkId})
    and (${state}::text is null or j.state = ${state})`
  const [jobs, { rows }] = await Promise.all([
    readJobs(db, condition, {
      limit: pageSize,
      offset: (page - 1) * pageSize,
      inBulk: bulkId !== null,
    }),
    sql<{ total: number }>`select count(*) as total from jobs j where ${condition}`.execute(db),
  ])
  return { jobs, total: rows[0]?.total ?? 0 }
}
