import { cancelJob } from '../../store/db/jobs/cancel-job.ts'
import { getJob } from '../../store/db/jobs/get-job.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'
import { Job, showJob } from './job-view.ts'

/**
 * POST /api/jobs/{id}/cancel: ends the job at once, even during outages, and answers its new state.
 * Painted frames are charged. A job that has ended stays as it is. The workflow learns of it by the
 * final events of the job's tasks.
 */
export function cancelRoute(server: Server, context: ApiContext): void {
  const schema = {
    params: JobParams,
    tags: ['jobs'],
    response: { 200: Job, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'render' } as const
  server.post('/api/jobs/:id/cancel', { schema, config }, async (request) => {
    const jobId = readJobId(request.params.id)
    const { accountId } = request.account
    const reason = 'asked by the customer'
    const ended = await cancelJob(request.db, { accountId, jobId, reason })
    if (ended?.settled) context.metrics.jobsCancelled(1)
    const job = await getJob(request.db, { accountId, jobId })
    if (!job) throw jobNotFound(jobId)
    return await showJob(context, job)
  })
}
