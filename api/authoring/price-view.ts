import { Type } from 'typebox'
import type { Price } from '../../core/jobs/pricing.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'

/**
 * Price and length of a project that has not been submitted, as `validate` and `estimate` answer
 * them.
 */
export const priceFields = {
  creditsRequired: Type.Integer({ description: 'Credits that a submission holds' }),
  exact: Type.Boolean({
    description:
      'False: media that have not been read decide the length. The hold is topped up once they have been',
  }),
  creditsMost: Type.Integer({
    description: 'Credits that the job can cost; more than creditsRequired where exact is false',
  }),
  duration: Type.Number({
    description: 'Seconds; 0 for a still, and the shortest length where exact is false',
  }),
}

export function showPrice(
  { type }: Pick<ResolvedProject, 'type'>,
  { credits, creditsMost, seconds, exact }: Price,
) {
  const duration = type === 'image' ? 0 : Math.round(seconds * 1e6) / 1e6
  return { creditsRequired: credits, exact, creditsMost, duration }
}
