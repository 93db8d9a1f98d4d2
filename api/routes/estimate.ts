import { Type } from 'typebox'
import { priceBreakdown } from '../../core/pricing.ts'
import { RenderRequest } from '../../core/project/schema/request.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../problem.ts'
import { readSubmission } from '../submission.ts'
import type { Server } from '../typed-server.ts'

const Estimate = Type.Object({
  creditsRequired: Type.Integer({ description: 'What a submission holds' }),
  exact: Type.Boolean({
    description: 'False: a length depends on media, so as much is held as the plan allows',
  }),
  duration: Type.Number({ description: 'Seconds; 0 for a still' }),
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

/** POST /api/credits/estimate: what a submission of this body would cost; creates nothing. */
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
      creditsRequired: price.credits,
      exact: price.exact,
      duration: isStill ? 0 : price.seconds,
      frames: isStill ? 1 : Math.max(1, Math.round(price.seconds * project.frameRate)),
      breakdown: priceBreakdown(project, price.seconds).map((line) => ({ ...line })),
    }
  })
}
