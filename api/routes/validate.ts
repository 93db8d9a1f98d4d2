import { Type } from 'typebox'
import type { ApiContext } from '../context.ts'
import { WarningView } from '../job-view.ts'
import { Problem } from '../problem.ts'
import { readSubmission } from '../submission.ts'
import type { Server } from '../typed-server.ts'

const Validated = Type.Object({
  valid: Type.Literal(true),
  creditsRequired: Type.Integer(),
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The project resolved, with its defaults',
  }),
  warnings: Type.Array(WarningView),
})

/** POST /api/render/validate/api-key: what rendering would say and cost; creates nothing. */
export function validateRoute(server: Server, { trustedHosts }: ApiContext): void {
  const schema = {
    operationId: 'validate',
    tags: ['render'],
    response: {
      200: Validated,
      400: Problem,
      401: Problem,
      413: Problem,
      415: Problem,
      422: Problem,
    },
  }
  const config = { credentials: ['key'], scope: 'render' } as const
  server.post('/api/render/validate/api-key', { schema, config }, async (request) => {
    const { plan } = request.account
    const { resolution, price } = readSubmission(request.body, { plan, trustedHosts })
    return {
      valid: true as const,
      creditsRequired: price.credits,
      payload: { ...resolution.payload },
      warnings: resolution.warnings.map((warning) => ({ ...warning })),
    }
  })
}
