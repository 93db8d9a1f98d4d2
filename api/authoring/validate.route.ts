import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { RenderRequest } from '../../core/project/schema/request.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'
import { readSubmission, type Submission } from '../jobs/submission.ts'
import { priceFields, showPrice } from './price-view.ts'

export const Verdict = Type.Object({
  valid: Type.Literal(true),
  ...priceFields,
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Resolved project, with its defaults filled in',
  }),
  warnings: Type.Array(WarningView),
})

/**
 * POST /api/render/validate/api-key, or without /api-key signed in: the price of rendering the
 * body.
 */
export function validateRoute(server: Server, { trustedHosts }: ApiContext): void {
  const schema = {
    tags: ['render'],
    response: {
      200: Verdict,
      400: Problem,
      404: Problem,
      422: Problem,
    },
  }
  const access = { scope: 'render', body: RenderRequest } as const
  const validating = async ({ db, body, account }: FastifyRequest) =>
    showVerdict(await readSubmission({ db, trustedHosts }, { body, account }))
  const withKey = { ...access, credentials: ['key'] } as const
  const signedIn = { ...access, credentials: ['session'] } as const
  server.post('/api/render/validate/api-key', { schema, config: withKey }, validating)
  server.post('/api/render/validate', { schema, config: signedIn }, validating)
}

/** Verdict on a valid request. */
export function showVerdict({
  resolution,
  price,
}: Pick<Submission, 'resolution' | 'price'>): Static<typeof Verdict> {
  return {
    valid: true as const,
    ...showPrice(price),
    payload: { ...resolution.payload },
    warnings: showWarnings(resolution.warnings, null),
  }
}
