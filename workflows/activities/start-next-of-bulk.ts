import { FarmError } from '../../core/errors.ts'
import { isPlanName, plans } from '../../core/plans.ts'
import { markWorkflowsStarted } from '../../store/db/statements/mark-workflow-started.ts'
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
 * Fills up what a bulk has in flight, the first of its items together. A job is marked as started once Temporal has
 * it, also where another one could not be started; a turn that dies in between is repeated and starts none twice,
 * and neither do two at the same moment.
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
  const next = turn.waiting.slice(0, room).map((jobId) => ({ accountId, jobId, bulkId }))
  const starts = await Promise.allSettled(next.map(startJob))
  const started = next.filter((_, at) => starts[at]?.status === 'fulfilled')
  if (started.length > 0) await markWorkflowsStarted(db, started)
  const failed = starts.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return { open: turn.open }
}
