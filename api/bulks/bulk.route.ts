import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import { BulkRequest } from '../../core/project/schema/bulk.ts'
import { StillBulkRequest } from '../../core/project/schema/still.ts'
import {
  type InsertedBulk,
  insertBulkWithHold,
} from '../../store/db/bulks/insert-bulk-with-hold.ts'
import { markBulkSeen } from '../../store/db/bulks/mark-bulk-seen.ts'
import type { Db } from '../../store/db/database.ts'
import type { BulkRenderInput } from '../../workflows/contract.ts'
import type { ApiContext } from '../context.ts'
import { insufficientCredits, overCap, submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { bulkIdOf } from './bulk-id.ts'
import { nothingLeft, readBulkSubmission } from './bulk-submission.ts'
import { BulkWarnings, ItemErrors, showBulkWarnings, showRefused } from './bulk-view.ts'

const Accepted = Type.Object({
  bulkId: Type.String(),
  jobIds: Type.Array(Type.String({ format: 'uuid' })),
  errors: ItemErrors,
  warnings: BulkWarnings,
  creditsReserved: Type.Integer(),
})

/**
 * POST /api/render/bulk/api-key with a key, /api/render/bulk with a dashboard token, and the same
 * under /api/render/image for stills: many renders that differ in their variables. Once the answer
 * is 202 every valid item is a job in the database, all under one hold; the others are in `errors`.
 */
export function bulkRoute(server: Server, context: ApiContext): void {
  const schema = {
    tags: ['bulk'],
    response: {
      202: Accepted,
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
    const { db, account } = request
    const { accountId, limits, credential } = account
    const { trustedHosts, sliceQueue } = context
    const submission = await readBulkSubmission(request.body, {
      ...{ db, account, trustedHosts, sliceQueue, still },
    })
    const bulkId = bulkIdOf(request.idempotency?.id ?? randomUUID())
    const { jobIds, refused, creditsReserved } = expectInserted(
      await insertBulkWithHold(db, {
        ...submission,
        ...{ id: bulkId, accountId, webhookUrl: submission.base.webhookUrl },
        ...(credential.kind === 'key' && { keyId: credential.keyId }),
      }),
      limits,
    )
    request.made = { kind: 'bulk', id: bulkId }
    void start(context, db, { accountId, bulkId })
    reply.code(202)
    const left = new Set(refused.map(({ index }) => index))
    const jobs = submission.jobs.filter(({ index }) => !left.has(index))
    const warnings = showBulkWarnings(jobs, submission.templateId)
    return { bulkId, jobIds: [...jobIds], errors: showRefused(refused), warnings, creditsReserved }
  }
}

function expectInserted(inserted: InsertedBulk, limits: PlanLimits) {
  switch (inserted.outcome) {
    case 'inserted':
      return inserted
    case 'nothing-left':
      throw nothingLeft(inserted.refused, limits)
    case 'insufficient':
      throw insufficientCredits(inserted)
    case 'over-cap':
      throw overCap(inserted)
    default:
      return inserted satisfies never
  }
}

/** Starts the bulk's workflow; on failure the workflows role's sweeper starts it. Never rejects. */
async function start({ log, startBulk }: ApiContext, db: Db, bulk: BulkRenderInput): Promise<void> {
  try {
    await startBulk(bulk)
    await markBulkSeen(db, bulk)
  } catch (error) {
    log.warn({ err: error, ...bulk }, 'a bulk could not be started and is left to the sweeper')
  }
}
