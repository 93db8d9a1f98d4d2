import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { isFinal } from '../../core/jobs/jobs.ts'
import { RenderOverrides } from '../../core/project/schema/request.ts'
import { getJob } from '../../store/db/jobs/get-job.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader, isBodyless } from '../gateway/body.ts'
import { submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { AcceptedJob, acceptJob } from './accept-job.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'
import { readRequestOf } from './sent-request.ts'
import { validateSubmission } from './submission.ts'

const Retry = Type.Object(
  { overrides: Type.Optional(RenderOverrides) },
  { additionalProperties: false },
)
const readRetry = bodyReader(Retry)

/**
 * POST /api/jobs/{id}/retry: the request of an ended job once more, as a new job that is priced and
 * charged as any. Segments that were rendered before come out of the store.
 */
export function retryRoute(server: Server, context: ApiContext): void {
  const schema = {
    params: JobParams,
    tags: ['jobs'],
    response: { 202: AcceptedJob, ...submissionProblems },
  }
  const access = { credentials: ['key', 'session'], scope: 'render' } as const
  const config = { ...access, body: Retry, isBodyOptional: true }
  server.post('/api/jobs/:id/retry', { schema, config }, async (request, reply) => {
    const { db, account, body, idempotency } = request
    const id = readJobId(request.params.id)
    const { overrides } = isBodyless(body) ? {} : readRetry(body)
    const { accountId, limits } = account
    const job = await getJob(db, { accountId, jobId: id })
    const earlier = job && (await readRequestOf(db, { accountId, jobId: id }))
    if (!earlier) throw jobNotFound(id)
    if (!isFinal(job.state)) {
      const message = `The job must have ended to be rendered again. It is ${job.state}`
      throw new FarmError('conflict', message)
    }
    const again = {
      ...earlier,
      ...(overrides && { overrides: { ...earlier.overrides, ...overrides } }),
    }
    const templateId = job.templateId ?? undefined
    const submission = {
      ...validateSubmission(again, {
        ...{ limits, trustedHosts: context.trustedHosts },
        ...{ stored: templateId !== undefined, payloadAt: '/payload' },
      }),
      templateId,
    }
    const jobId = idempotency?.id ?? randomUUID()
    const accepted = await acceptJob(
      request,
      { submission, jobId, submissionId: idempotency?.id },
      context,
    )
    reply.code(202)
    return accepted
  })
}
