import { FarmError } from '../../core/errors.ts'
import { isFinal } from '../../core/jobs/jobs.ts'
import { areClaimedElsewhere } from '../../store/db/artifacts/are-claimed-elsewhere.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { readPlan, recordRendered } from './segments.ts'

/**
 * Publishes a job's own segments before it waits for others', so that two jobs that wait for each
 * other both go on.
 */
export async function shareSegments(context: ActivityContext, job: RenderJobInput): Promise<void> {
  const tasks = await context.queries.listTasks(job)
  await recordRendered(context, { job, plan: await readPlan(context, job), tasks })
}

/** Answers whether a job must go on waiting for segments that others render. @throws cancelled */
export async function areAwaited(
  { db, queries }: ActivityContext,
  { segments, ...job }: RenderJobInput & { readonly segments: readonly string[] },
): Promise<boolean> {
  const submission = await queries.getSubmission(job)
  if (!submission || isFinal(submission.state)) {
    throw new FarmError('cancelled', 'The job was ended while it waited')
  }
  return await areClaimedElsewhere(db, { ...job, fingerprints: segments })
}
