import { randomUUID } from 'node:crypto'
import { isPlanName, plans } from '../../core/accounts/plans.ts'
import { FarmError } from '../../core/errors.ts'
import { type BulkTurn, claimNextOfBulk } from '../../store/db/bulks/claim-next-of-bulk.ts'
import type { BulkRenderInput } from '../contract.ts'
import type { ActivityBase } from './context.ts'
import { traceBulk } from './traces.ts'

/**
 * Share of the bulk's window that starts together: a smaller group would not be worth its workflow.
 */
const shareOfWindow = 0.4

/**
 * Runs one turn of a bulk: starts its next jobs, and records the trace of a bulk that has ended.
 * @returns how many jobs have not ended
 */
export async function startNextOfBulk(
  context: ActivityBase,
  bulk: BulkRenderInput,
): Promise<{ open: number }> {
  const turn = await fillBulk(context, bulk)
  if (turn.open === 0) await traceBulk(context, bulk)
  return turn
}

/**
 * Fills the bulk's window; its next items share one workflow. They are marked as started before
 * Temporal knows them. If the turn dies in between, or Temporal does not answer, the sweeper gives
 * each job its own workflow: Temporal may have started them, and none may start twice.
 * @returns how many jobs have not ended
 */
export async function fillBulk(
  { db, startGroup }: ActivityBase,
  bulk: BulkRenderInput,
): Promise<{ open: number }> {
  const group = randomUUID()
  const turn = await claimNextOfBulk(db, { ...bulk, group, choose: freeWindow })
  if (turn === undefined) return { open: 0 }
  const { jobIds } = turn
  if (jobIds.length > 0) await startGroup({ ...bulk, group, jobIds })
  return { open: turn.open }
}

function freeWindow({ plan, open, running }: BulkTurn): number {
  if (!isPlanName(plan)) throw new FarmError('internal', "The account's plan is not known")
  const { bulkInFlight } = plans[plan]
  const free = Math.min(bulkInFlight - running, open - running)
  const worthwhile = Math.min(Math.ceil(bulkInFlight * shareOfWindow), open - running)
  return free >= worthwhile ? free : 0
}
