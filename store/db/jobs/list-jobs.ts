import { sql } from 'kysely'
import type { JobState } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import { containing } from '../text-search.ts'
import { type JobView, readJobs } from './get-job.ts'

/** Filters of jobs; an absent one matches any. */
export type JobFilter = {
  readonly bulkId?: string
  readonly state?: JobState
  readonly type?: 'video' | 'image'
  readonly templateId?: string
  /** A part of the name, whatever its case. */
  readonly search?: string
  /** Created at or after `createdFrom`, before `createdTo`. */
  readonly createdFrom?: Date
  readonly createdTo?: Date
}

type Page = { readonly jobs: readonly JobView[]; readonly total: number }

/**
 * One page of an account's jobs, newest first, or of a bulk's jobs in its order, and the number of
 * matches. `page` starts at 1.
 */
export async function listJobs(
  db: Db,
  {
    accountId,
    page,
    pageSize,
    ...filter
  }: JobFilter & { accountId: string; page: number; pageSize: number },
): Promise<Page> {
  const { bulkId, state, type, templateId, search, createdFrom, createdTo } = filter
  const conditions = [
    sql`j.account_id = ${accountId}`,
    ...(bulkId === undefined ? [] : [sql`j.bulk_id = ${bulkId}`]),
    ...(state === undefined ? [] : [sql`j.state = ${state}`]),
    ...(type === undefined ? [] : [sql`j.type = ${type}`]),
    ...(templateId === undefined ? [] : [sql`j.template_id = ${templateId}`]),
    ...(search === undefined ? [] : [sql`j.name ilike ${containing(search)}`]),
    ...(createdFrom === undefined ? [] : [sql`j.created_at >= ${createdFrom}`]),
    ...(createdTo === undefined ? [] : [sql`j.created_at < ${createdTo}`]),
  ]
  const condition = sql.join(conditions, sql` and `)
  const [jobs, { rows }] = await Promise.all([
    readJobs(db, condition, {
      limit: pageSize,
      offset: (page - 1) * pageSize,
      inBulk: bulkId !== undefined,
    }),
    sql<{ total: number }>`select count(*) as total from jobs j where ${condition}`.execute(db),
  ])
  return { jobs, total: rows[0]?.total ?? 0 }
}
