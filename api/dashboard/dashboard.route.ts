import { relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { GatewayContext } from '../context.ts'
import { answerNotFound } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'

/** Names in `assets` hold the hash of their content. */
const forGood = 'public, max-age=31536000, immutable'

/**
 * GET /assets/*, and every address of a person that is no route: the dashboard, where it is built.
 * Other unknown addresses get a problem.
 */
export async function dashboardRoutes(
  server: Server,
  { dashboard, dashboardFolder }: GatewayContext,
): Promise<void> {
  await server.register(fastifyStatic, {
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, path) {
      const isAsset = relative(dashboardFolder, path).startsWith('assets')
      reply.header('cache-control', isAsset ? forGood : 'no-cache')
    },
  })
  const options = { schema: { hide: true }, config: { credentials: [] } }
  server.get('/assets/*', options, async (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return await dashboard.send(reply, `assets/${name}`)
  })
  server.setNotFoundHandler(async (request, reply) => {
    const file = await dashboard.fileFor(request)
    if (file !== undefined) return await dashboard.send(reply, file)
    answerNotFound(request, reply)
    return reply
  })
}
