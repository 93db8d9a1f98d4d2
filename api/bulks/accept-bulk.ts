import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import {
  type InsertedBulk,
  insertBulkWithHold,
} from '../../store/db/bulks/insert-bulk-with-hold.ts'
import { markBulkSeen } from '../../store/db/bulks/mark-bulk-seen.ts'
import type { Db } from '../../store/db/database.ts'
import type { BulkRenderInput } from '../../workflows/contract.ts'
import type { ApiContext } from '../context.ts'
import { agentRefused, insufficientCredits, overCap } from '../gateway/problem.ts'
import { type BulkSubmission, nothingLeft } from './bulk-submission.ts'
import { BulkWarnings, ItemErrors, showBulkWarnings, showRefused } from './bulk-view.ts'

export const AcceptedBulk = Type.Object({
  bulkId: Type.String(),
  jobIds: Type.Array(Type.String({ format: 'uuid' })),
  errors: ItemErrors,
  warnings: BulkWarnings,
  creditsReserved: Type.Integer(),
})

/**
 * Inserts a bulk with one hold for all its jobs and starts its workflow beside the request. Inserted
 * again under its id, it is answered as before.
 * @throws FarmError when the account may not
 */
export async function acceptBulk(
  request: Pick<FastifyRequest, 'db' | 'account' | 'made'>,
  { submission, bulkId }: { submission: BulkSubmission; bulkId: string },
  context: ApiContext,
) {
  const { db, account } = request
  const { accountId, limits, credential } = account
  const { jobIds, refused, creditsReserved } = expectInserted(
    await insertBulkWithHold(db, {
      ...submission,
      ...{ id: bulkId, accountId, webhookUrl: submission.base.webhookUrl },
      ...(credential.kind === 'key' && { keyId: credential.keyId }),
      ...(credential.kind === 'agent' && { grantId: credential.grantId }),
    }),
    limits,
  )
  request.made = { kind: 'bulk', id: bulkId }
  void start(context, db, { accountId, bulkId })
  context.accountEvents.submitted(accountId, jobIds)
  const left = new Set(refused.map(({ index }) => index))
  const jobs = submission.jobs.filter(({ index }) => !left.has(index))
  const warnings = showBulkWarnings(jobs, submission.templateId)
  return { bulkId, jobIds: [...jobIds], errors: showRefused(refused), warnings, creditsReserved }
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
    case 'agent-refused':
      throw agentRefused(inserted.refusal, inserted.credits)
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
