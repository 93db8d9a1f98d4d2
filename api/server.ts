import fastify, { LogController } from 'fastify'
import { collectAccess } from './access.ts'
import { logAccess } from './access-log.ts'
import { authenticate } from './authenticate.ts'
import { refuseUnusedBodies } from './body.ts'
import { answerBrokenRequest } from './broken-requests.ts'
import type { ApiContext, GatewayContext } from './context.ts'
import { repeatAnswers } from './idempotency.ts'
import { acceptJsonOnly } from './json-body.ts'
import { libraryOf } from './library/catalogue.ts'
import { publishOpenApi } from './openapi.ts'
import { closeQueries, compileParameters } from './parameters.ts'
import { answerBadAddress, answerError, answerNotFound, refuseSpelledOut } from './problem.ts'
import { limitRate } from './rate-limit.ts'
import { answerRequestIds, requestIdOf } from './request-id.ts'
import { apiKeyRoutes } from './routes/api-key.ts'
import { apiKeysRoutes } from './routes/api-keys.ts'
import { authRoutes } from './routes/auth.ts'
import { elementRoutes, exampleRoutes } from './routes/authoring.ts'
import { bulkRoute } from './routes/bulk.ts'
import { bulkCancelRoute } from './routes/bulk-cancel.ts'
import { bulkProgressRoute } from './routes/bulk-progress.ts'
import { bulkResultsRoute } from './routes/bulk-results.ts'
import { bulksRoute } from './routes/bulks.ts'
import { cancelRoute } from './routes/cancel.ts'
import { creativePlanRoute } from './routes/creative-plan.ts'
import { creditHistoryRoutes } from './routes/credit-history.ts'
import { creditsRoute } from './routes/credits.ts'
import { estimateRoute } from './routes/estimate.ts'
import { eventsRoute } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { jobRoute } from './routes/job.ts'
import { jobsRoute } from './routes/jobs.ts'
import { libraryRoutes } from './routes/library.ts'
import { objectsRoute } from './routes/objects.ts'
import { profileRoute } from './routes/profile.ts'
import { projectRoutes, projectsRoutes } from './routes/projects.ts'
import { renderRoute } from './routes/render.ts'
import { repairRoute } from './routes/repair.ts'
import { rootRoute } from './routes/root.ts'
import { schemaRoute } from './routes/schema.ts'
import { stockRoutes } from './routes/stock.ts'
import { duplicateTemplateRoute, previewTemplateRoute, templateRoutes } from './routes/template.ts'
import { templatesRoutes } from './routes/templates.ts'
import { validateRoute } from './routes/validate.ts'
import { rotateSecretRoute, webhookRoutes } from './routes/webhook.ts'
import {
  deliveriesRoute,
  jobDeliveriesRoute,
  redeliverRoute,
  testWebhookRoute,
} from './routes/webhook-deliveries.ts'
import { webhooksRoutes } from './routes/webhooks.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { traceRequests } from './traces.ts'
import type { Server } from './typed-server.ts'
import { endUnusedConnections } from './unused-connections.ts'

/** Time-out of slow clients for the head of a request; json-body.ts has the one of its body. */
const headersTimeoutMs = 10_000
/** Longest delay in noticing a time-out. */
const timeoutCheckMs = 1_000
/** Longer than any upload to the object store takes; JSON bodies have their own, shorter limit. */
const requestTimeoutMs = 15 * 60_000
const maxUrlLength = 500

/** Creates the gateway, not yet listening. */
export async function createServer(context: GatewayContext): Promise<Server> {
  const server: Server = fastify({
    loggerInstance: context.log,
    genReqId: requestIdOf,
    trustProxy: [...context.trustedProxies],
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: timeoutCheckMs },
    routerOptions: { maxParamLength: maxUrlLength },
    forceCloseConnections: 'idle',
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerBrokenRequest(context.log),
  })
  server.setValidatorCompiler(compileParameters)
  // Schemas of answers are documentation; the routes make the answers themselves.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data))
  server.setErrorHandler(answerError)
  server.setNotFoundHandler(answerNotFound)
  answerRequestIds(server)
  measure(server, context)
  if (context.hasAccessLog) logAccess(server)
  traceRequests(server, context)
  endUnusedConnections(server)
  // Streams of events never end by themselves.
  server.addHook('preClose', async () => {
    await context.jobReader.stop()
    await context.jobEvents.stop()
  })
  collectAccess(server)
  server.decorateRequest('account')
  server.decorateRequest('db')
  // Registered before the hooks for browsers and callers: nodes, which upload here, are neither.
  await server.register(async (open) => objectsRoute(open, { context, methods: ['PUT'] }))
  await setSecurityHeaders(server)
  refuseSpelledOut(server)
  server.addHook('onRequest', authenticate(context))
  server.addHook('onRequest', limitRate(context))
  await publishOpenApi(server, context)
  healthRoutes(server, context)
  rootRoute(server, context)
  await server.register(async (open) => objectsRoute(open, { context, methods: ['GET', 'HEAD'] }))
  const library = libraryOf(context)
  await server.register(async (typed: Server) => {
    closeQueries(typed)
    acceptJsonOnly(typed)
    refuseUnusedBodies(typed)
    repeatAnswers(typed, context)
    renderRoute(typed, context)
    validateRoute(typed, context)
    schemaRoute(typed)
    repairRoute(typed, context)
    elementRoutes(typed)
    exampleRoutes(typed)
    stockRoutes(typed)
    libraryRoutes(typed, library)
    creativePlanRoute(typed, context, library)
    templatesRoutes(typed, context)
    templateRoutes(typed, context)
    duplicateTemplateRoute(typed)
    previewTemplateRoute(typed, context)
    projectsRoutes(typed, context)
    projectRoutes(typed, context)
    bulkRoute(typed, context)
    bulksRoute(typed)
    bulkProgressRoute(typed, context)
    bulkResultsRoute(typed, context)
    bulkCancelRoute(typed, context)
    jobRoute(typed, context)
    jobsRoute(typed, context)
    cancelRoute(typed, context)
    eventsRoute(typed, context)
    profileRoute(typed)
    creditsRoute(typed)
    creditHistoryRoutes(typed)
    estimateRoute(typed, context)
    apiKeysRoutes(typed)
    apiKeyRoutes(typed)
    authRoutes(typed, context)
    webhooksRoutes(typed, context)
    webhookRoutes(typed, context)
    rotateSecretRoute(typed, context)
    deliveriesRoute(typed)
    jobDeliveriesRoute(typed, context)
    testWebhookRoute(typed)
    redeliverRoute(typed)
  })
  return server
}

/** Measures the seconds of every answer, by route and status. */
function measure(server: Server, { metrics }: ApiContext): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const { statusCode: status, elapsedTime } = reply
    metrics.answered({ method: request.method, route, status, seconds: elapsedTime / 1000 })
  })
}
