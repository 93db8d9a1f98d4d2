import { getJob } from '../../store/db/jobs/get-job.ts'
import { readTimeline } from '../../store/db/jobs/read-timeline.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'
import { showTimeline, Timeline } from './timeline-view.ts'

/** GET /api/jobs/{id}/timeline: stages, tasks, attempts and segments of a job, for a chart of it. */
export function timelineRoute(server: Server, { filmPlans }: ApiContext): void {
  const schema = {
    params: JobParams,
    tags: ['jobs'],
    response: { 200: Timeline, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs/:id/timeline', { schema, config }, async (request) => {
    const jobId = readJobId(request.params.id)
    const { accountId } = request.account
    const job = await getJob(request.db, { accountId, jobId })
    if (!job) throw jobNotFound(jobId)
    const isPlanned = job.type === 'video' && job.frames.total > 0
    const [timeline, plan] = await Promise.all([
      readTimeline(request.db, { accountId, jobId }),
      isPlanned ? filmPlans.read({ accountId, jobId }) : undefined,
    ])
    return showTimeline(job, timeline, plan?.cuts ?? [])
  })
}
