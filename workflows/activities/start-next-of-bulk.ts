import { FarmError } from '../../core/errors.ts'
import { isPlanName, plans } from '../../core/plans.ts'
import { markWorkflowStarted } from '../../store/db/statements/mark-workflow-started.ts'
import { nextOfBulk } from '../../store/db/statements/next-of-bulk.ts'
import type { BulkRenderInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { traceBulk } from './traces.ts'

const largestWindow = Math.max(...Object.values(plans).map(({ bulkInFlight }) => bulkInFlight))

/**
 * One turn of a bulk: fills up what it has in flight, in the order of its items. A job is marked as
 * started once Temporal has it; a turn that dies in between is repeated and starts none twice.
 * @returns how many jobs have not ended
 */
export async function startNextOfBulk(
  context: ActivityContext,
  { accountId, bulkId }: BulkRenderInput,
): Promise<{ open: number }> {
  const { db, startJob } = context
  const turn = await nextOfBulk(db, { accountId, bulkId, limit: largestWindow })
  if (!turn) return { open: 0 }
  if (!isPlanName(turn.plan)) throw new FarmError('internal', "The account's plan is not known")
  const room = Math.max(0, plans[turn.plan].bulkInFlight - turn.running)
  for (const jobId of turn.waiting.slice(0, room)) {
    await startJob({ accountId, jobId, bulkId })
    await markWorkflowStarted(db, { accountId, jobId })
  }
  if (turn.open === 0) await traceBulk(context, { accountId, bulkId })
  return { open: turn.open }
}
