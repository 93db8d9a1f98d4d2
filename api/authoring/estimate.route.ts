import { Type } from 'typebox'
import { priceBreakdown } from '../../core/jobs/pricing.ts'
import { RenderRequest } from '../../core/project/schema/request.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { readSubmission } from '../jobs/submission.ts'
import { priceFields, showPrice } from './price-view.ts'

const Estimate = Type.Object({
  ...priceFields,
  frames: Type.Integer(),
  breakdown: Type.Array(
    Type.Object({
      item: Type.String(),
      quantity: Type.Integer(),
      creditsEach: Type.Integer(),
      credits: Type.Integer(),
    }),
  ),
})

/** POST /api/credits/estimate: the price of submitting this body; creates nothing. */
export function estimateRoute(server: Server, { trustedHosts }: ApiContext): void {
  const response = {
    200: Estimate,
    400: Problem,
    404: Problem,
    422: Problem,
  }
  const schema = { tags: ['account'], response }
  const access = { credentials: ['key', 'session'], scope: 'render' } as const
  const config = { ...access, body: RenderRequest }
  server.post('/api/credits/estimate', { schema, config }, async (request) => {
    const { db, body, account } = request
    const { resolution, price } = await readSubmission({ db, trustedHosts }, { body, account })
    const { project } = resolution
    const isStill = project.type === 'image'
    return {
      ...showPrice(price),
      frames: isStill ? 1 : Math.max(1, Math.round(price.seconds * project.frameRate)),
      breakdown: priceBreakdown(project, price.seconds).map((line) => ({ ...line })),
    }
  })
}
