import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { takenJobId } from '../../core/jobs/jobs.ts'
import { RenderRequest } from '../../core/project/schema/request.ts'
import { StillRequest } from '../../core/project/schema/still.ts'
import {
  type InsertedJob,
  maxQueuePosition,
  type NewJob,
} from '../../store/db/jobs/insert-jobs-with-hold.ts'
import type { ApiContext } from '../context.ts'
import { insufficientCredits, overCap, submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { readSubmission } from './submission.ts'

const Accepted = Type.Object({
  jobId: Type.String({ format: 'uuid' }),
  status: Type.Literal('queued'),
  queuePosition: Type.Integer({
    description: `Position in the queue: 1 is next; counted up to ${maxQueuePosition}`,
  }),
  creditsReserved: Type.Integer(),
})

/**
 * POST /api/render/api-key with a key, /api/render with a dashboard token, and the same under
 * /api/render/image for stills. Once the answer is 202 the job and its hold are in the database,
 * and it will be rendered despite any present outage.
 */
export function renderRoute(server: Server, context: ApiContext): void {
  const schema = {
    tags: ['render'],
    response: {
      202: Accepted,
      ...submissionProblems,
    },
  }
  const scope = 'render' as const
  const withKey = { credentials: ['key'], scope, body: RenderRequest } as const
  const signedIn = { credentials: ['session'], scope, body: RenderRequest } as const
  const body = StillRequest
  server.post('/api/render/api-key', { schema, config: withKey }, submit)
  server.post('/api/render', { schema, config: signedIn }, submit)
  server.post('/api/render/image/api-key', { schema, config: { ...withKey, body } }, submitStill)
  server.post('/api/render/image', { schema, config: { ...signedIn, body } }, submitStill)

  async function submitStill(request: FastifyRequest, reply: FastifyReply) {
    return await submit(request, reply, { still: true })
  }

  async function submit(
    request: FastifyRequest,
    reply: FastifyReply,
    { still = false }: { still?: boolean } = {},
  ) {
    const { db, account, body } = request
    const { accountId, credential } = account
    const { trustedHosts, submissionBatcher, workflowStarts } = context
    const submission = await readSubmission({ db, trustedHosts }, { body, account, still })
    const { project, warnings } = submission.resolution
    const job: NewJob = {
      id: submission.request.jobId?.toLowerCase() ?? request.idempotency?.id ?? randomUUID(),
      accountId,
      type: project.type,
      name: project.name,
      request: submission.request,
      credits: submission.price.credits,
      warnings,
      webhookUrl: submission.request.webhookUrl,
      ...(submission.templateId !== undefined && { templateId: submission.templateId }),
      ...(request.idempotency && { submissionId: request.idempotency.id }),
      ...(credential.kind === 'key' && {
        ...{ keyId: credential.keyId, isKeyCapped: credential.creditCap !== null },
      }),
    }
    const queuePosition = expectInserted(await submissionBatcher.insert(job), job)
    request.made = { kind: 'job', id: job.id }
    // Its workflow starts beside this request (workflow-starts.ts).
    workflowStarts.add({ accountId, jobId: job.id })
    reply.code(202)
    return {
      jobId: job.id,
      status: 'queued' as const,
      queuePosition,
      creditsReserved: job.credits,
    }
  }
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
    default:
      return inserted satisfies never
  }
}
