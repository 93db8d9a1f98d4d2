import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RenderRequest } from '../../core/project/schema/request.ts'
import { StillRequest } from '../../core/project/schema/still.ts'
import type { ApiContext } from '../context.ts'
import { submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { AcceptedJob, acceptJob } from './accept-job.ts'
import { readSubmission } from './submission.ts'

/**
 * POST /api/render/api-key with a key, /api/render with a dashboard token, and the same under
 * /api/render/image for stills. Once the answer is 202 the job and its hold are in the database,
 * and it will be rendered despite any present outage.
 */
export function renderRoute(server: Server, context: ApiContext): void {
  const schema = {
    tags: ['render'],
    response: {
      202: AcceptedJob,
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
    const { db, account, body, idempotency } = request
    const { trustedHosts } = context
    const submission = await readSubmission({ db, trustedHosts }, { body, account, still })
    const jobId = submission.request.jobId?.toLowerCase() ?? idempotency?.id ?? randomUUID()
    const act = { submission, jobId, submissionId: idempotency?.id }
    // Its workflow starts beside this request (workflow-starts.ts).
    const accepted = await acceptJob(request, act, context)
    reply.code(202)
    return accepted
  }
}
