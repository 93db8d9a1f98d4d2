import { Type } from 'typebox'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import { type JobState, jobStates } from '../../core/jobs/jobs.ts'
import { readTime } from '../../runtime/times.ts'
import { countJobsByState, jobOrders, listJobs } from '../../store/db/jobs/list-jobs.ts'
import type { ApiContext } from '../context.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import { SearchText } from '../gateway/search.ts'
import { yearPattern } from '../gateway/times.ts'
import type { Server } from '../gateway/typed-server.ts'
import { uuidPattern } from '../gateway/uuid.ts'
import { Job, showJob } from './job-view.ts'

const Time = Type.String({
  format: 'date-time',
  pattern: yearPattern,
  maxLength: 40,
  title: 'a time of the years 1 to 9999',
})

const Query = Type.Object({
  state: Type.Optional(
    Type.Array(Type.Enum([...jobStates]), {
      minItems: 1,
      maxItems: 50,
      description: 'One or more: `state=failed&state=cancelled`, or with commas between them',
    }),
  ),
  type: Type.Optional(Type.Union([Type.Literal('video'), Type.Literal('image')])),
  templateId: Type.Optional(Type.String({ pattern: '^tpl_[A-Za-z0-9]{20}$' })),
  bulkId: Type.Optional(Type.String({ pattern: '^blk_[0-9A-Za-z]{20}$' })),
  apiKeyId: Type.Optional(Type.String({ pattern: `^${uuidPattern}$`, title: 'a UUID' })),
  errorCode: Type.Optional(
    Type.Enum(Object.keys(errorCodes) as ErrorCode[], {
      description: 'Jobs that failed with this code',
    }),
  ),
  search: Type.Optional(SearchText),
  createdFrom: Type.Optional(Time),
  createdTo: Type.Optional(Time),
  sort: Type.Optional(
    Type.Enum([...jobOrders], {
      default: '-createdAt',
      description:
        'A minus sorts in descending order. Open jobs count as finished last. Of a bulk the default is its own order',
    }),
  ),
  counts: Type.Optional(
    Type.Boolean({ default: false, description: 'Adds the number of matching jobs in each state' }),
  ),
  ...pageQuery,
})

const Jobs = Type.Object({
  jobs: Type.Array(Job),
  counts: Type.Optional(
    Type.Record(Type.Enum([...jobStates]), Type.Integer(), {
      description: 'Jobs in each state that match the other parameters, whatever `state` says',
    }),
  ),
  ...pageView,
})

/** GET /api/jobs: the account's jobs that match the query, newest first. */
export function jobsRoute(server: Server, context: ApiContext): void {
  const schema = {
    querystring: Query,
    tags: ['jobs'],
    response: { 200: Jobs, 400: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs', { schema, config }, async (request) => {
    const { page: _, pageSize, limit, createdFrom, createdTo, ...query } = request.query
    const { state: states, sort: order, counts: areCounted = false, ...rest } = query
    const page = readPage(request.query)
    const { accountId } = request.account
    const from = readTime('createdFrom', createdFrom)
    const to = readTime('createdTo', createdTo)
    const filter = {
      ...{ ...rest, accountId },
      ...(from && { createdFrom: from }),
      ...(to && { createdTo: to }),
    }
    const [found, counted] = await Promise.all([
      listJobs(request.db, { ...filter, ...page, order, ...(states && { states }) }),
      areCounted ? countJobsByState(request.db, filter) : undefined,
    ])
    const jobs = await Promise.all(found.jobs.map((job) => showJob(context, job)))
    return {
      jobs,
      ...(counted && { counts: everyState(counted) }),
      ...showPage(page, found.total),
    }
  })
}

function everyState(counted: Partial<Record<JobState, number>>): Record<JobState, number> {
  const counts = jobStates.map((state) => [state, counted[state] ?? 0])
  return Object.fromEntries(counts) as Record<JobState, number>
}
