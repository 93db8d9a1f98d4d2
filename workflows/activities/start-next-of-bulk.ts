import { FarmError } from '../../core/errors.ts'
import { isPlanName, plans } from '../../core/plans.ts'
import { markWorkflowStarted } from '../../store/db/statements/mark-workflow-started.ts'
import { nextOfBulk } from '../../store/db/statements/next-of-bulk.ts'
import type { BulkRenderInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { traceBulk } from './traces.ts'

const largestWindow = Math.max(...Object.values(plans).map(({ bulkInFlight }) => bulkInFlight))

/**
 * One turn of a bulk: starts what comes next; a bulk that has ended is told of.
 * @returns how many jobs have not ended
 */
export async function startNextOfBulk(
  context: ActivityContext,
  bulk: BulkRenderInput,
): Promise<{ open: number }> {
  const turn = await fillBulk(context, bulk)
  if (turn.open === 0) await traceBulk(context, bulk)
  return turn
}

/**
 * Fills up what a bulk has in flight, in the order of its items. A job is marked as started once Temporal has it;
 * a turn that dies in between is repeated and starts none twice, and neither do two at the same moment.
 * @returns how many jobs have not ended
 */
export async function fillBulk(
  { db, startJob }: ActivityContext,
  { accountId, bulkId }: BulkRenderInput,
): Promise<{ open: number }> {
  const turn = await nextOfBulk(db, { accountId, bulkId, limit: largestWindow })
  if (!turn) return { open: 0 }
  if (!isPlanName(turn.plan)) throw new FarmError('internal', "The account's plan is not known")
  const room = Math.max(0, plans[turn.plan].bulkInFlight - turn.running)
  for (const jobId of turn.waiting.slice(0, room)) {
    await startJob({ accountId, jobId, bulkId })
    await markWorkflowStarted(db, { accountId, jobId })
  }
  return { open: turn.open }
}
