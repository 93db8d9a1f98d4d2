import { Type } from 'typebox'
import { jobStates } from '../../core/jobs.ts'
import { getBulk } from '../../store/db/statements/get-bulk.ts'
import { listJobs } from '../../store/db/statements/list-jobs.ts'
import { BulkParams, bulkNotFound } from '../bulk-id.ts'
import { Bulk, showBulk } from '../bulk-view.ts'
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

const BulkWithJobs = Type.Object({
  ...Bulk.properties,
  jobs: Type.Array(Job, { description: 'In the order of the items' }),
  page: Type.Integer(),
  pageSize: Type.Integer(),
  total: Type.Integer({ description: 'Jobs that match' }),
})

/** GET /api/render/bulk/{id}: how far it is, and one page of its jobs, of one state if asked. */
export function bulkProgressRoute(server: Server, context: ApiContext): void {
  const schema = {
    params: BulkParams,
    querystring: Query,
    tags: ['bulk'],
    response: { 200: BulkWithJobs, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/render/bulk/:id', { schema, config }, async (request) => {
    const bulkId = request.params.id
    const { accountId } = request.account
    const { state, page = 1, pageSize = defaultPageSize } = request.query
    const bulk = await getBulk(request.db, { accountId, bulkId })
    if (!bulk) throw bulkNotFound(bulkId)
    const found = await listJobs(request.db, {
      ...{ accountId, bulkId, page, pageSize },
      ...(state && { state }),
    })
    const jobs = await Promise.all(found.jobs.map((job) => showJob(context, job)))
    return { ...showBulk(bulk), jobs, page, pageSize, total: found.total }
  })
}
