import type { ApiContext } from '../context.ts'
import type { Server } from '../typed-server.ts'

/** GET /metrics, as the role's own port has it (runtime/metrics-server.ts). */
export function metricsRoute(server: Server, { metrics: { registry } }: ApiContext): void {
  server.get(
    '/metrics',
    { schema: { hide: true }, config: { credentials: [] } },
    async (_request, reply) => {
      reply.type(registry.contentType)
      return await registry.metrics()
    },
  )
}
