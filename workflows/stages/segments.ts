import type { Plan } from '../../core/plan/plan.ts'
import { endClaims } from '../../store/db/artifacts/end-claims.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { finishedTasks } from './outcomes.ts'
import { recordSound } from './sound.ts'

/** The plan as `render` wrote it. */
export async function readPlan({ objects }: ActivityContext, job: RenderJobInput): Promise<Plan> {
  return JSON.parse(String(await objects.read(planKey(job))))
}

/**
 * Records segments of the finished render tasks by their fingerprints, and the sound, so that no
 * job renders them again. Segments that were not ordered, or have another length than planned, are
 * skipped.
 */
export async function recordRendered(
  context: ActivityContext,
  { job, plan, tasks }: { job: RenderJobInput; plan: Plan; tasks: readonly JobTask[] },
): Promise<void> {
  const { db, queries } = context
  const fingerprints: string[] = []
  for (const task of finishedTasks(tasks, 'render')) {
    for (const { index, bytes, frames } of task.result.segments) {
      const segment = plan.segments[index]
      const objectKey = task.outputs[`segment-${index}`]
      if (segment?.frames !== frames || objectKey === undefined) continue
      const digest = segment.fingerprint
      const artifact = { digest, objectKey, bytes, facts: { frames } }
      await queries.putArtifact({ accountId: job.accountId, kind: 'segment', ...artifact })
      fingerprints.push(digest)
    }
  }
  await recordSound(context, { job, plan, tasks })
  await endClaims(db, { ...job, fingerprints })
}
