import { Type } from 'typebox'
import { askDatabase } from '../../store/db/database.ts'
import type { GatewayContext } from '../context.ts'
import type { Server } from './typed-server.ts'

const Status = Type.Object({ status: Type.Literal('ok') })

/**
 * GET /healthz: the process answers. GET /readyz: it can take submissions, for which the database
 * is enough. Jobs wait while Temporal is away, so 503 means only that Postgres is away.
 */
export function healthRoutes(server: Server, { db }: GatewayContext): void {
  const config = { credentials: [] }
  const schema = { response: { 200: Status }, tags: ['service'] }
  server.get('/healthz', { schema, config }, async () => ({ status: 'ok' as const }))
  server.get('/readyz', { schema, config }, async () => {
    await askDatabase(db)
    return { status: 'ok' as const }
  })
}
