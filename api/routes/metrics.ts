import type { ApiContext } from '../context.ts'
import type { Server } from '../typed-server.ts'

/** GET /metrics, for Prometheus. */
export function metricsRoute(server: Server, { metrics }: ApiContext): void {
  server.get(
    '/metrics',
    { schema: { hide: true }, config: { credentials: [] } },
    async (_request, reply) => {
      reply.type(metrics.contentType)
      return await metrics.metrics()
    },
  )
}
