import type { PlanLimits } from '../../core/accounts/plans.ts'
import { FarmError } from '../../core/errors.ts'
import { lengthField, priceAtSubmission, priceOfProbed } from '../../core/jobs/pricing.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import type { Facts } from '../../core/timeline/facts.ts'
import { knownSeconds } from '../../core/timeline/length.ts'
import type { AgentRefusal } from '../../store/db/agents/spend-agent-credits.ts'
import { type ToppedUp, topUpHold } from '../../store/db/jobs/top-up-hold.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'

/**
 * Holds the price of a film whose length its media decide, before it is rendered. A film whose
 * request names its length was held at submission.
 *
 * Errors: FarmError `insufficient_credits` where account, key or agent cannot pay, `cancelled` where the
 * job has ended.
 */
export async function topUp(
  { db }: Pick<ActivityContext, 'db'>,
  {
    job: { accountId, jobId },
    project,
    limits,
    facts,
  }: { job: RenderJobInput; project: ResolvedProject; limits: PlanLimits; facts: Facts },
): Promise<void> {
  if (priceAtSubmission(project, limits).exact) return
  const credits = priceOfProbed(project, facts)
  const topped = await topUpHold(db, { accountId, jobId, credits })
  if (topped.outcome === 'held') return
  if (topped.outcome === 'ended') throw new FarmError('cancelled', 'The job has ended')
  const seconds = Math.round(knownSeconds(project, facts) * 1000) / 1000
  const cost = `The film is ${seconds} s long, as its media say, and costs ${credits} credits.`
  throw new FarmError('insufficient_credits', `${cost} ${shortage(topped)}`, {
    field: lengthField(project),
  })
}

function shortage(
  topped: Extract<ToppedUp, { outcome: 'insufficient' | 'over-cap' | 'agent-refused' }>,
): string {
  const { missing } = topped
  switch (topped.outcome) {
    case 'insufficient':
      return `The account must have ${missing} more to spend. Got ${topped.available}.`
    case 'over-cap':
      return `The key's spending cap of ${topped.cap} must leave ${missing} more. Got ${topped.left}.`
    case 'agent-refused':
      return shortageOfAgent(topped.refusal, missing)
    default:
      return topped satisfies never
  }
}

function shortageOfAgent(refusal: AgentRefusal, missing: number): string {
  switch (refusal.why) {
    case 'ended':
      return 'The agent that submitted it must be connected. Got one that has been disconnected.'
    case 'render':
      return `A render of the agent must cost at most ${refusal.cap}. Got more.`
    default:
      return `The agent's spending cap of ${refusal.cap} must leave ${missing} more. Got ${refusal.left}.`
  }
}
