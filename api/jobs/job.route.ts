import { readWaiting } from '../../store/db/queue/read-waiting.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'
import { Job, showJob } from './job-view.ts'

/** GET /api/jobs/{id} */
export function jobRoute(server: Server, context: ApiContext): void {
  const schema = {
    params: JobParams,
    tags: ['jobs'],
    response: { 200: Job, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs/:id', { schema, config }, async (request) => {
    const jobId = readJobId(request.params.id)
    const { accountId } = request.account
    const job = await context.jobReader.read({ accountId, jobId })
    if (!job) throw jobNotFound(jobId)
    const explain = () => readWaiting(request.db, jobId)
    const waiting = await context.waitingReader.read(job, { accountId, explain })
    return {
      ...(await showJob(context, job)),
      waiting: waiting && {
        ...waiting,
        missing: [...waiting.missing],
        jobs: [...waiting.jobs],
      },
    }
  })
}
