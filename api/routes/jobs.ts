import { Type } from 'typebox'
import { jobStates } from '../../core/jobs.ts'
import { listJobs } from '../../store/db/statements/list-jobs.ts'
import type { ApiContext } from '../context.ts'
import { Job, showJob } from '../job-view.ts'
import { Problem } from '../problem.ts'
import type { Server } from '../typed-server.ts'

const defaultPageSize = 20

const Query = Type.Object({
  state: Type.Optional(Type.Enum([...jobStates])),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultPageSize })),
})

const Jobs = Type.Object({
  jobs: Type.Array(Job),
  page: Type.Integer(),
  pageSize: Type.Integer(),
  total: Type.Integer(),
})

/** GET /api/jobs: the account's jobs, newest first. */
export function jobsRoute(server: Server, context: ApiContext): void {
  const schema = {
    querystring: Query,
    tags: ['jobs'],
    response: { 200: Jobs, 400: Problem, 401: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs', { schema, config }, async (request) => {
    const { state, page = 1, pageSize = defaultPageSize } = request.query
    const { accountId } = request.account
    const found = await listJobs(request.db, { accountId, page, pageSize, ...(state && { state }) })
    const jobs = await Promise.all(found.jobs.map((job) => showJob(context, job)))
    return { jobs, page, pageSize, total: found.total }
  })
}
