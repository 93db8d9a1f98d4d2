import { isPlanName, type PlanLimits, plans } from '../../core/accounts/plans.ts'
import { FarmError, type Fault } from '../../core/errors.ts'
import { isFinal, type JobPreview } from '../../core/jobs/jobs.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import { validateRequest } from '../../core/project/validate.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'

export type ResolvedJob = {
  readonly project: ResolvedProject
  readonly limits: PlanLimits
  /** Null: it is a render. */
  readonly preview: JobPreview | null
  /** Pool and tags that the nodes of its tasks must have; `pool` null = any. */
  readonly place: { readonly pool: string | null; readonly tags: readonly string[] }
}

/**
 * The job's project, resolved from the request that was accepted. It is pure in the request and the
 * plan, so each stage resolves it again instead of carrying megabytes through histories.
 *
 * Errors: FarmError `cancelled` when the job has ended meanwhile; what is wrong with the project
 * under the account's plan of today.
 */
export async function resolveJob(
  { queries, trustedHosts }: ActivityContext,
  job: RenderJobInput,
): Promise<ResolvedJob> {
  const submission = await queries.getSubmission(job)
  if (!submission || isFinal(submission.state))
    throw new FarmError('cancelled', 'The job has ended')
  const { plan, request, preview, pool, tags } = submission
  if (!isPlanName(plan)) throw new FarmError('internal', "The account's plan is not known")
  const limits = plans[plan]
  const validation = validateRequest(request, limits, { trustedHosts, lint: false })
  if ('faults' in validation) throw toFailure(validation.faults)
  return { project: validation.resolution.project, limits, preview, place: { pool, tags } }
}

export function toFailure(faults: readonly Fault[]): FarmError {
  const [first] = faults
  return new FarmError(
    first?.code ?? 'invalid_project',
    first?.message ?? 'The project is not valid',
    {
      details: faults,
    },
  )
}
