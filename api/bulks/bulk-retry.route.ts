import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { maxBulkItems } from '../../core/project/schema/bulk.ts'
import { getEndedItems } from '../../store/db/bulks/get-ended-items.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader, isBodyless } from '../gateway/body.ts'
import { submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { uuidPattern } from '../gateway/uuid.ts'
import { AcceptedBulk, acceptBulk } from './accept-bulk.ts'
import { BulkParams, bulkIdOf, bulkNotFound } from './bulk-id.ts'
import { readEndedItems } from './bulk-submission.ts'

const Retry = Type.Object(
  {
    states: Type.Optional(
      Type.Array(Type.Enum(['failed', 'cancelled']), {
        minItems: 1,
        description: 'States of the jobs to render again; `failed` if absent',
      }),
    ),
    jobIds: Type.Optional(
      Type.Array(Type.String({ pattern: `^${uuidPattern}$`, title: 'a UUID' }), {
        minItems: 1,
        maxItems: maxBulkItems,
        description: 'Only these jobs of the bulk; all if absent',
      }),
    ),
  },
  { additionalProperties: false },
)
const readRetry = bodyReader(Retry)

/**
 * POST /api/render/bulk/{id}/retry: the items of a bulk whose jobs failed, as a new bulk that is
 * priced and charged as any. Items keep their index.
 */
export function bulkRetryRoute(server: Server, context: ApiContext): void {
  const schema = {
    params: BulkParams,
    tags: ['bulk'],
    response: { 202: AcceptedBulk, ...submissionProblems },
  }
  const access = { credentials: ['key', 'session'], scope: 'render' } as const
  const config = { ...access, body: Retry, isBodyOptional: true }
  server.post('/api/render/bulk/:id/retry', { schema, config }, async (request, reply) => {
    const { db, account, body, idempotency } = request
    const bulkId = request.params.id
    const { states = ['failed'], jobIds } = isBodyless(body) ? {} : readRetry(body)
    const { accountId } = account
    const ended = await getEndedItems(db, { accountId, bulkId, states, jobIds })
    if (!ended) throw bulkNotFound(bulkId)
    if (ended.items.length === 0) {
      const rule = `The bulk must have jobs that are ${states.join(' or ')} to be rendered again`
      throw new FarmError('conflict', `${rule}. It has none${jobIds ? ' among jobIds' : ''}`)
    }
    const { trustedHosts, sliceQueue } = context
    const submission = await readEndedItems(ended, { account, trustedHosts, sliceQueue })
    const seed = idempotency?.id ?? randomUUID()
    const accepted = await acceptBulk(request, { submission, bulkId: bulkIdOf(seed) }, context)
    reply.code(202)
    return accepted
  })
}
