import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BulkRequest } from '../../core/project/schema/bulk.ts'
import { StillBulkRequest } from '../../core/project/schema/still.ts'
import type { ApiContext } from '../context.ts'
import { readJson } from '../gateway/json-text.ts'
import { submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { AcceptedBulk, acceptBulk } from './accept-bulk.ts'
import { bulkIdOf } from './bulk-id.ts'
import { readBulkSubmission } from './bulk-submission.ts'

/**
 * POST /api/render/bulk/api-key with a key, /api/render/bulk with a dashboard token, and the same
 * under /api/render/image for stills: many renders that differ in their variables. Once the answer
 * is 202 every valid item is a job in the database, all under one hold; the others are in `errors`.
 */
export function bulkRoute(server: Server, context: ApiContext): void {
  const schema = {
    tags: ['bulk'],
    response: {
      202: AcceptedBulk,
      ...submissionProblems,
    },
  }
  const scope = 'render' as const
  const withKey = { credentials: ['key'], scope, body: BulkRequest } as const
  const signedIn = { credentials: ['session'], scope, body: BulkRequest } as const
  const body = StillBulkRequest
  server.post('/api/render/bulk/api-key', { schema, config: withKey }, submit)
  server.post('/api/render/bulk', { schema, config: signedIn }, submit)
  const stills = '/api/render/image/bulk'
  server.post(`${stills}/api-key`, { schema, config: { ...withKey, body } }, submitStills)
  server.post(stills, { schema, config: { ...signedIn, body } }, submitStills)

  async function submitStills(request: FastifyRequest, reply: FastifyReply) {
    return await submit(request, reply, { still: true })
  }

  async function submit(
    request: FastifyRequest,
    reply: FastifyReply,
    { still = false }: { still?: boolean } = {},
  ) {
    const { db, account, idempotency } = request
    const { trustedHosts, sliceQueue } = context
    const submission = await readBulkSubmission(readJson(request.body), {
      ...{ db, account, trustedHosts, sliceQueue, still },
    })
    const bulkId = bulkIdOf(idempotency?.id ?? randomUUID())
    const accepted = await acceptBulk(request, { submission, bulkId }, context)
    reply.code(202)
    return accepted
  }
}
