import { Type } from 'typebox'
import type { Price } from '../../core/jobs/pricing.ts'

/**
 * Price and length of a project that has not been submitted, as `validate` and `estimate` answer
 * them.
 */
export const priceFields = {
  creditsRequired: Type.Integer({ description: 'Credits that a submission holds' }),
  exact: Type.Boolean({
    description:
      'False when the length depends on media that are not read yet. The hold is topped up once they are',
  }),
  creditsMost: Type.Integer({
    description: 'Most credits that the job can cost; above creditsRequired when exact is false',
  }),
  duration: Type.Number({
    description: 'Seconds; 0 for a still; the shortest length when exact is false',
  }),
}

export function showPrice({ credits, creditsMost, seconds, exact }: Price) {
  const duration = Math.round(seconds * 1e6) / 1e6
  return { creditsRequired: credits, exact, creditsMost, duration }
}
