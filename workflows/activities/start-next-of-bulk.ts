import { randomUUID } from 'node:crypto'
import { FarmError } from '../../core/errors.ts'
import { isPlanName, plans } from '../../core/plans.ts'
import { type BulkTurn, claimNextOfBulk } from '../../store/db/statements/claim-next-of-bulk.ts'
import type { BulkRenderInput } from '../contract.ts'
import type { ActivityBase } from './context.ts'
import { traceBulk } from './traces.ts'

/** Of the jobs in flight, so many begin together: fewer would each cost a workflow of their own. */
const shareOfWindow = 0.4

/**
 * One turn of a bulk: starts what comes next; a bulk that has ended is told of.
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
 * Fills up what a bulk has in flight, the first of its items together in one workflow. They are marked as started
 * before Temporal has it; a turn that dies in between leaves them to the sweeper, which gives each one of its own.
 * So does one that Temporal does not answer: it may have begun them, and nobody must begin them twice.
 * @returns how many jobs have not ended
 */
export async function fillBulk(
  { db, startGroup }: ActivityBase,
  bulk: BulkRenderInput,
): Promise<{ open: number }> {
  const group = randomUUID()
  const turn = await claimNextOfBulk(db, { ...bulk, group, choose: roomIn })
  if (turn === undefined) return { open: 0 }
  const { jobIds } = turn
  if (jobIds.length > 0) await startGroup({ ...bulk, group, jobIds })
  return { open: turn.open }
}

function roomIn({ plan, open, running }: BulkTurn): number {
  if (!isPlanName(plan)) throw new FarmError('internal', "The account's plan is not known")
  const { bulkInFlight } = plans[plan]
  const room = Math.min(bulkInFlight - running, open - running)
  const worthwhile = Math.min(Math.ceil(bulkInFlight * shareOfWindow), open - running)
  return room >= worthwhile ? room : 0
}
