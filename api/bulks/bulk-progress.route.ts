import { Type } from 'typebox'
import { jobStates } from '../../core/jobs/jobs.ts'
import { getBulk } from '../../store/db/bulks/get-bulk.ts'
import { listJobs } from '../../store/db/jobs/list-jobs.ts'
import type { ApiContext } from '../context.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { Job, showJob } from '../jobs/job-view.ts'
import { BulkParams, bulkNotFound } from './bulk-id.ts'
import { Bulk, showBulk } from './bulk-view.ts'
import { signZipLink } from './bulk-zip.route.ts'

const Query = Type.Object({
  state: Type.Optional(Type.Enum([...jobStates])),
  ...pageQuery,
})

const BulkWithJobs = Type.Object({
  ...Bulk.properties,
  jobs: Type.Array(Job, { description: 'Jobs in the order of the items' }),
  zipUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
    description:
      'Signed address of all files as a ZIP, good for 24 hours without an account; null until one is there',
  }),
  ...pageView,
  total: Type.Integer({ description: 'Number of jobs that match' }),
})

/** GET /api/render/bulk/{id}: its progress, and one page of its jobs, optionally of one state. */
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
    const { state } = request.query
    const page = readPage(request.query)
    const bulk = await getBulk(request.db, { accountId, bulkId })
    if (!bulk) throw bulkNotFound(bulkId)
    const found = await listJobs(request.db, {
      ...{ accountId, bulkId, ...page },
      ...(state && { states: [state] }),
    })
    const jobs = await Promise.all(found.jobs.map((job) => showJob(context, job)))
    const shown = showBulk(bulk)
    const zipUrl = shown.counts.completed > 0 ? signZipLink(context.playLinks, bulkId) : null
    return { ...shown, zipUrl, jobs, ...showPage(page, found.total) }
  })
}
