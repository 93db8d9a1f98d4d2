import { Type } from 'typebox'
import { explainTimes } from '../../core/jobs/explained-times.ts'
import { ExplainedTimes } from '../../core/jobs/spent-times.ts'
import { elementsAt } from '../../core/timeline/elements-at.ts'
import { getJob } from '../../store/db/jobs/get-job.ts'
import { clockOf, readSpentTasks } from '../../store/db/jobs/read-spent-tasks.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'

const elementsOfFrame = 10

const Explanation = Type.Object(ExplainedTimes.properties, { $id: 'JobExplanation' })

/** GET /api/jobs/{id}/explain: where the job's time went, and one line of advice. */
export function explainRoute(server: Server, { filmPlans }: Pick<ApiContext, 'filmPlans'>): void {
  const schema = {
    params: JobParams,
    tags: ['jobs'],
    response: { 200: Explanation, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs/:id/explain', { schema, config }, async (request) => {
    const jobId = readJobId(request.params.id)
    const { accountId } = request.account
    const job = await getJob(request.db, { accountId, jobId })
    if (!job) throw jobNotFound(jobId)
    const tasks = await readSpentTasks(request.db, { accountId, jobId })
    const isSlow = tasks.some(({ slowFrames }) => slowFrames !== null)
    // A single pass has no stored plan, and one of an old job is removed.
    const plan = isSlow ? await filmPlans.read({ accountId, jobId }) : undefined
    const describe =
      plan && ((frame: number) => elementsAt(plan.times, { frame, most: elementsOfFrame }))
    return explainTimes({ clock: clockOf(job), tasks, describe })
  })
}
