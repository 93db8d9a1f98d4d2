import { Type } from 'typebox'
import { explainTimes } from '../../core/jobs/explained-times.ts'
import { ExplainedTimes } from '../../core/jobs/spent-times.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { elementsAt } from '../../core/timeline/elements-at.ts'
import { getJob } from '../../store/db/jobs/get-job.ts'
import { clockOf, readSpentTasks } from '../../store/db/jobs/read-spent-tasks.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'

const elementsOfFrame = 10

const Explanation = Type.Object(ExplainedTimes.properties, { $id: 'JobExplanation' })

/** GET /api/jobs/{id}/explain: where the job's time went, and one line of advice. */
export function explainRoute(server: Server, { objects }: Pick<ApiContext, 'objects'>): void {
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
    const plan = isSlow ? await readPlan(objects, { accountId, jobId }) : undefined
    const describe =
      plan && ((frame: number) => elementsAt(plan.timeline, { frame, most: elementsOfFrame }))
    return explainTimes({ clock: clockOf(job), tasks, describe })
  })
}

/** Undefined: a single pass has no stored plan, and one of an old job is removed. */
async function readPlan(
  objects: Pick<ObjectStore, 'read'>,
  job: { accountId: string; jobId: string },
): Promise<Pick<Plan, 'timeline'> | undefined> {
  try {
    return JSON.parse(String(await objects.read(planKey(job))))
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined
    throw error
  }
}
