import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { repairPayload } from '../../core/project/repair/repair.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Detail, Problem, showFaults } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'

const RepairRequest = Type.Object(
  { payload: Type.Unsafe<Record<string, unknown>>({ type: 'object' }) },
  { title: 'a repair request', additionalProperties: false },
)
const read = bodyReader(RepairRequest)

const Change = Type.Object({
  action: Type.Enum(['set', 'rename', 'remove']),
  path: Type.String({ description: 'Path of the change, like visuals[0].opacity' }),
  from: Type.Unknown(),
  to: Type.Unknown({ description: 'New value or name; null when the property was removed' }),
  why: Type.String(),
})

const Repaired = Type.Object({
  repaired: Type.Record(Type.String(), Type.Unknown()),
  changes: Type.Array(Change),
  valid: Type.Boolean({ description: 'True when a render of the payload would be accepted' }),
  remainingErrors: Type.Array(Detail),
  warnings: Type.Array(WarningView),
})

/**
 * POST /api/render/repair/api-key, or without /api-key signed in; creates nothing and costs
 * nothing.
 */
export function repairRoute(server: Server, { trustedHosts }: ApiContext): void {
  const schema = { tags: ['authoring'], response: { 200: Repaired, 400: Problem } }
  const access = { scope: 'render', body: RepairRequest } as const
  const repair = async ({ body, account }: FastifyRequest) => {
    const { payload } = read(body)
    const { repaired, changes, remainingErrors, warnings, ...rest } = repairPayload(
      payload,
      account.limits,
      {
        trustedHosts,
      },
    )
    return {
      ...rest,
      // Repairing an object yields an object.
      repaired: repaired as Record<string, unknown>,
      changes: changes.map(({ from, to, ...change }) => ({
        ...{ ...change, from: shortened(from), to: shortened(to) },
      })),
      remainingErrors: showFaults(remainingErrors),
      warnings: showWarnings(warnings, null),
    }
  }
  const withKey = { ...access, credentials: ['key'] } as const
  const signedIn = { ...access, credentials: ['session'] } as const
  server.post('/api/render/repair/api-key', { schema, config: withKey }, repair)
  server.post('/api/render/repair', { schema, config: signedIn }, repair)
}

const maxShown = 500

/** Value before a change, shortened when the payload would otherwise come back twice. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? ''
  return text.length <= maxShown ? value : `${text.slice(0, maxShown)}…`
}
