import { Type } from 'typebox'
import { jobStates } from '../../core/jobs/jobs.ts'
import { listJobs } from '../../store/db/jobs/list-jobs.ts'
import type { ApiContext } from '../context.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import { SearchText } from '../gateway/search.ts'
import { readTime, yearPattern } from '../gateway/times.ts'
import type { Server } from '../gateway/typed-server.ts'
import { Job, showJob } from './job-view.ts'

const Time = Type.String({
  format: 'date-time',
  pattern: yearPattern,
  maxLength: 40,
  title: 'a time of the years 1 to 9999',
})

const Query = Type.Object({
  state: Type.Optional(Type.Enum([...jobStates])),
  type: Type.Optional(Type.Union([Type.Literal('video'), Type.Literal('image')])),
  templateId: Type.Optional(Type.String({ pattern: '^tpl_[A-Za-z0-9]{20}$' })),
  bulkId: Type.Optional(Type.String({ pattern: '^blk_[0-9A-Za-z]{20}$' })),
  search: Type.Optional(SearchText),
  createdFrom: Type.Optional(Time),
  createdTo: Type.Optional(Time),
  ...pageQuery,
})

const Jobs = Type.Object({
  jobs: Type.Array(Job),
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
    const { page: _, pageSize, limit, createdFrom, createdTo, ...filter } = request.query
    const page = readPage(request.query)
    const { accountId } = request.account
    const from = readTime('createdFrom', createdFrom)
    const to = readTime('createdTo', createdTo)
    const found = await listJobs(request.db, {
      ...{ ...filter, accountId, ...page },
      ...(from && { createdFrom: from }),
      ...(to && { createdTo: to }),
    })
    const jobs = await Promise.all(found.jobs.map((job) => showJob(context, job)))
    return { jobs, ...showPage(page, found.total) }
  })
}
