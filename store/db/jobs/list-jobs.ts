import { type RawBuilder, sql } from 'kysely'
import type { ErrorCode } from '../../../core/errors.ts'
import type { JobState } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import { containing } from '../text-search.ts'
import { type JobView, readJobs } from './get-job.ts'

/** Filters of jobs; an absent one matches any. */
export type JobFilter = {
  readonly bulkId?: string
  readonly states?: readonly JobState[]
  readonly type?: 'video' | 'image'
  readonly templateId?: string
  readonly apiKeyId?: string
  readonly errorCode?: ErrorCode
  /** A part of the name, whatever its case. */
  readonly search?: string
  /** Created at or after `createdFrom`, before `createdTo`. */
  readonly createdFrom?: Date
  readonly createdTo?: Date
}

const orders = {
  createdAt: sql`j.created_at, j.id`,
  '-createdAt': sql`j.created_at desc, j.id`,
  finishedAt: sql`j.finished_at nulls last, j.id`,
  '-finishedAt': sql`j.finished_at desc nulls first, j.id`,
  name: sql`lower(j.name), j.created_at desc, j.id`,
  '-name': sql`lower(j.name) desc, j.created_at desc, j.id`,
  credits: sql`${credits()}, j.created_at desc, j.id`,
  '-credits': sql`${credits()} desc, j.created_at desc, j.id`,
} as const satisfies Record<string, RawBuilder<unknown>>

/** A minus sorts in descending order. Open jobs count as finished last. */
export type JobOrder = keyof typeof orders
export const jobOrders = Object.keys(orders) as JobOrder[]

/** Held while the job is open, charged once it has ended. */
function credits(): RawBuilder<unknown> {
  return sql`case when j.finished_at is null then j.credits_reserved else j.credits_charged end`
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
    order,
    ...filter
  }: JobFilter & {
    readonly accountId: string
    readonly page: number
    readonly pageSize: number
    readonly order?: JobOrder | undefined
  },
): Promise<Page> {
  const condition = conditionOf(accountId, filter)
  const usual = filter.bulkId === undefined ? orders['-createdAt'] : sql`j.bulk_index`
  const [jobs, { rows }] = await Promise.all([
    readJobs(db, condition, {
      limit: pageSize,
      offset: (page - 1) * pageSize,
      order: order ? orders[order] : usual,
    }),
    sql<{ total: number }>`select count(*) as total from jobs j where ${condition}`.execute(db),
  ])
  return { jobs, total: rows[0]?.total ?? 0 }
}

/** Counts the jobs that match in each state; states without jobs are left out. */
export async function countJobsByState(
  db: Db,
  { accountId, ...filter }: Omit<JobFilter, 'states'> & { readonly accountId: string },
): Promise<Partial<Record<JobState, number>>> {
  const { rows } = await sql<{ state: JobState; jobs: number }>`
    select j.state, count(*) as jobs from jobs j
    where ${conditionOf(accountId, filter)} group by j.state`.execute(db)
  return Object.fromEntries(rows.map(({ state, jobs }) => [state, jobs]))
}

function conditionOf(accountId: string, filter: JobFilter): RawBuilder<unknown> {
  const { bulkId, states, type, templateId, apiKeyId, errorCode } = filter
  const { search, createdFrom, createdTo } = filter
  const conditions = [
    sql`j.account_id = ${accountId}`,
    ...(bulkId === undefined ? [] : [sql`j.bulk_id = ${bulkId}`]),
    ...(states === undefined ? [] : [sql`j.state = any(${states}::text[])`]),
    ...(type === undefined ? [] : [sql`j.type = ${type}`]),
    ...(templateId === undefined ? [] : [sql`j.template_id = ${templateId}`]),
    ...(apiKeyId === undefined ? [] : [sql`j.api_key_id = ${apiKeyId}`]),
    ...(errorCode === undefined ? [] : [sql`j.error->>'code' = ${errorCode}`]),
    ...(search === undefined ? [] : [sql`j.name ilike ${containing(search)}`]),
    ...(createdFrom === undefined ? [] : [sql`j.created_at >= ${createdFrom}`]),
    ...(createdTo === undefined ? [] : [sql`j.created_at < ${createdTo}`]),
  ]
  return sql.join(conditions, sql` and `)
}
