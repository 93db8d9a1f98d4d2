import { relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { GatewayContext } from '../context.ts'
import { pathOf } from '../gateway/path.ts'
import { answerNotFound } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { createDashboard, farmPages } from './dashboard.ts'

/** Names in `assets` hold the hash of their content. */
const forGood = 'public, max-age=31536000, immutable'

/**
 * GET /assets/*, and every address of a person that is no route: the dashboard, where it is built.
 * Other unknown addresses get a problem.
 */
export async function dashboardRoutes(
  server: Server,
  { dashboard, dashboardFolder }: Pick<GatewayContext, 'dashboard' | 'dashboardFolder'>,
): Promise<void> {
  await serveAssets(server, { dashboard, dashboardFolder })
  server.setNotFoundHandler(async (request, reply) => {
    const file = await dashboard.fileFor(request)
    if (file !== undefined) return await dashboard.send(reply, file)
    answerNotFound(request, reply)
    return reply
  })
}

/** GET /assets/* and every address below /farm, on the operators' own listener; / leads there. */
export async function farmRoutes(server: Server, context: GatewayContext): Promise<void> {
  const { dashboardFolder, objects, operatorUrl: publicUrl } = context
  const dashboard = createDashboard({ folder: dashboardFolder, publicUrl, objects, hasFarm: true })
  await serveAssets(server, { dashboard, dashboardFolder })
  server.get('/', hidden, async (_request, reply) => reply.redirect(`${publicUrl}/farm`))
  server.setNotFoundHandler(async (request, reply) => {
    const file = await dashboard.fileFor(request)
    const isFarm = file !== 'index.html' || farmPages.test(pathOf(request.url))
    if (file !== undefined && isFarm) return await dashboard.send(reply, file)
    answerNotFound(request, reply)
    return reply
  })
}

const hidden = { schema: { hide: true }, config: { credentials: [] } }

async function serveAssets(
  server: Server,
  { dashboard, dashboardFolder }: Pick<GatewayContext, 'dashboard' | 'dashboardFolder'>,
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
  server.get('/assets/*', hidden, async (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return await dashboard.send(reply, `assets/${name}`)
  })
}
