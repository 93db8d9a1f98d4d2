import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { takenJobId } from '../../core/jobs/jobs.ts'
import {
  type InsertedJob,
  maxQueuePosition,
  type NewJob,
} from '../../store/db/jobs/insert-jobs-with-hold.ts'
import type { ApiContext } from '../context.ts'
import { agentRefused, insufficientCredits, overCap } from '../gateway/problem.ts'
import type { Submission } from './submission.ts'

export const AcceptedJob = Type.Object({
  jobId: Type.String({ format: 'uuid' }),
  status: Type.Literal('queued'),
  queuePosition: Type.Integer({
    description: `Position in the queue: 1 is next; counted up to ${maxQueuePosition}`,
  }),
  creditsReserved: Type.Integer(),
})

/**
 * Inserts a job with its hold and starts its workflow beside the request. `submissionId`: the act
 * that makes it; repeated, it makes nothing twice.
 * @throws FarmError when the account may not
 */
export async function acceptJob(
  request: Pick<FastifyRequest, 'account' | 'made'>,
  {
    submission,
    jobId,
    submissionId,
  }: { submission: Submission; jobId: string; submissionId: string | undefined },
  { submissionBatcher, workflowStarts, accountEvents }: ApiContext,
) {
  const { accountId, credential } = request.account
  const { project, warnings } = submission.resolution
  const job: NewJob = {
    id: jobId,
    accountId,
    type: project.type,
    name: project.name,
    request: submission.request,
    credits: submission.price.credits,
    warnings,
    webhookUrl: submission.request.webhookUrl,
    ...(submission.templateId !== undefined && { templateId: submission.templateId }),
    ...(submissionId !== undefined && { submissionId }),
    ...(credential.kind === 'key' && {
      ...{ keyId: credential.keyId, isKeyCapped: credential.creditCap !== null },
    }),
    ...(credential.kind === 'agent' && { grantId: credential.grantId }),
  }
  const queuePosition = expectInserted(await submissionBatcher.insert(job), job)
  request.made = { kind: 'job', id: job.id }
  // Its workflow starts beside this request (workflow-starts.ts).
  workflowStarts.add({ accountId, jobId: job.id })
  accountEvents.submitted(accountId, [job.id])
  return { jobId: job.id, status: 'queued' as const, queuePosition, creditsReserved: job.credits }
}

/** Returns the job's place in the queue. @throws FarmError when it was not inserted */
function expectInserted(inserted: InsertedJob, { id, credits }: NewJob): number {
  switch (inserted.outcome) {
    case 'inserted':
      return inserted.queuePosition
    case 'duplicate': {
      const { code, field, message } = takenJobId(id)
      throw new FarmError(code, message, { field })
    }
    case 'insufficient':
      throw insufficientCredits(inserted)
    case 'over-cap':
      throw overCap({ ...inserted, credits })
    case 'agent-refused':
      throw agentRefused(inserted.refusal, credits)
    default:
      return inserted satisfies never
  }
}
