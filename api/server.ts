import fastify, { LogController } from 'fastify'
import { logAccess } from './access-log/access-log.ts'
import { authRoutes } from './account/auth.route.ts'
import { creditHistoryRoutes } from './account/credit-history.route.ts'
import { creditsRoute } from './account/credits.route.ts'
import { profileRoute } from './account/profile.route.ts'
import { sessionRoutes } from './account/sessions.route.ts'
import { agentRoute } from './agent/endpoint.route.ts'
import { llmsRoute } from './agent/llms.route.ts'
import { elementRoutes, exampleRoutes } from './authoring/authoring.route.ts'
import { libraryOf } from './authoring/catalogue.ts'
import { creativePlanRoute } from './authoring/creative-plan.route.ts'
import { estimateRoute } from './authoring/estimate.route.ts'
import { examplesSheetRoute } from './authoring/examples-sheet.route.ts'
import { libraryRoutes } from './authoring/library.route.ts'
import { repairRoute } from './authoring/repair.route.ts'
import { schemaRoute } from './authoring/schema.route.ts'
import { stockRoutes } from './authoring/stock.route.ts'
import { validateRoute } from './authoring/validate.route.ts'
import { bulkRoute } from './bulks/bulk.route.ts'
import { bulkCancelRoute } from './bulks/bulk-cancel.route.ts'
import { bulkProgressRoute } from './bulks/bulk-progress.route.ts'
import { bulkResultsRoute } from './bulks/bulk-results.route.ts'
import { bulkRetryRoute } from './bulks/bulk-retry.route.ts'
import { bulkZipRoute } from './bulks/bulk-zip.route.ts'
import { bulksRoute } from './bulks/bulks.route.ts'
import type { ApiContext, GatewayContext } from './context.ts'
import { dashboardRoutes, farmRoutes } from './dashboard/dashboard.route.ts'
import { collectAccess } from './gateway/access.ts'
import { markInnerCalls } from './gateway/agent-calls.ts'
import { authenticate } from './gateway/authenticate.ts'
import { refuseUnusedBodies } from './gateway/body.ts'
import { answerBrokenRequest, answerUnreadableAddress } from './gateway/broken-requests.ts'
import { isAborted, onEnded } from './gateway/ended.ts'
import { healthRoutes } from './gateway/health.route.ts'
import { repeatAnswers } from './gateway/idempotency.ts'
import { acceptJsonOnly } from './gateway/json-body.ts'
import { objectsRoute } from './gateway/objects.route.ts'
import { closeQueries, compileParameters } from './gateway/parameters.ts'
import { answerError, refuseSpelledOut } from './gateway/problem.ts'
import { belowPublicUrl } from './gateway/public-path.ts'
import { limitRate } from './gateway/rate-limit.ts'
import { answerRequestIds, requestIdOf } from './gateway/request-id.ts'
import { rootRoute } from './gateway/root.route.ts'
import { setSecurityHeaders } from './gateway/security-headers.ts'
import { traceRequests } from './gateway/traces.ts'
import type { Server } from './gateway/typed-server.ts'
import { endUnusedConnections } from './gateway/unused-connections.ts'
import { accountEventsRoute } from './jobs/account-events.route.ts'
import { cancelRoute } from './jobs/cancel.route.ts'
import { eventsRoute } from './jobs/events.route.ts'
import { explainRoute } from './jobs/explain.route.ts'
import { jobRoute } from './jobs/job.route.ts'
import { jobsRoute } from './jobs/jobs.route.ts'
import { renderRoute } from './jobs/render.route.ts'
import { requestRoute } from './jobs/request.route.ts'
import { retryRoute } from './jobs/retry.route.ts'
import { thumbnailRoute } from './jobs/thumbnail.route.ts'
import { timelineRoute } from './jobs/timeline.route.ts'
import { apiKeyRoutes } from './keys/api-key.route.ts'
import { apiKeysRoutes } from './keys/api-keys.route.ts'
import { agentConnectionRoutes } from './oauth/agent-connections.route.ts'
import { consentRoutes } from './oauth/consent.route.ts'
import { consentPageRoutes } from './oauth/consent-page.route.ts'
import { metadataRoutes } from './oauth/metadata.route.ts'
import { oauthRoutes } from './oauth/oauth.route.ts'
import { publishOpenApi } from './openapi/openapi.ts'
import { publishOperatorApi } from './openapi/operator-openapi.ts'
import { operatorAuthRoutes } from './operator/auth.route.ts'
import { operatorRoutes } from './operator/operations.route.ts'
import { playRoute } from './playback/play.route.ts'
import { playStateRoute } from './playback/play-state.route.ts'
import { watchPageRoutes } from './playback/watch-page.route.ts'
import { previewRoute } from './previews/preview.route.ts'
import { patchProjectRoute } from './projects/patch-project.route.ts'
import { projectVersionRoutes } from './projects/project-versions.route.ts'
import { projectRoutes, projectsRoutes } from './projects/projects.route.ts'
import { quoteRoutes } from './quotes/quotes.route.ts'
import {
  duplicateTemplateRoute,
  previewTemplateRoute,
  templateRoutes,
} from './templates/template.route.ts'
import { templatesRoutes } from './templates/templates.route.ts'
import { uploadedFileRoute } from './uploads/uploaded-file.route.ts'
import { receiveUploadRoute, uploadsRoutes } from './uploads/uploads.route.ts'
import { redeliverFailedRoute } from './webhooks/redeliver-failed.route.ts'
import { rotateSecretRoute, webhookRoutes } from './webhooks/webhook.route.ts'
import {
  allDeliveriesRoute,
  deliveriesRoute,
  jobDeliveriesRoute,
  redeliverRoute,
  testWebhookRoute,
} from './webhooks/webhook-deliveries.route.ts'
import { webhooksRoutes } from './webhooks/webhooks.route.ts'

/** Time-out of slow clients for the head of a request; gateway/json-body.ts has the one of its body. */
const headersTimeoutMs = 10_000
/** Longest delay in noticing a time-out. */
const timeoutCheckMs = 1_000
/** Longer than any upload to the object store takes; JSON bodies have their own, shorter limit. */
const requestTimeoutMs = 15 * 60_000
const maxUrlLength = 500

/** Creates the gateway, not yet listening. Operators have routes in it where the context says so. */
export async function createServer(context: GatewayContext): Promise<Server> {
  const server = await createGateway(context, { takesUploads: true })
  // Streams of events never end by themselves, and players wait for pieces.
  server.addHook('preClose', async () => {
    await context.jobReader.stop()
    await context.jobEvents.stop()
    await context.accountEvents.stop()
    context.playback.stop()
  })
  await publishOpenApi(server, context)
  if (context.servesOperators) await serveOperators(server, context)
  await serveCustomers(server, context)
  return server
}

/** Creates the operators' own listener, not yet listening: it serves their API and pages, and nothing else. */
export async function createOperatorServer(shared: GatewayContext): Promise<Server> {
  const context = { ...shared, publicUrl: shared.operatorUrl }
  const server = await createGateway(context, { takesUploads: false })
  healthRoutes(server, context)
  await farmRoutes(server, context)
  await serveOperators(server, context)
  return server
}

/** Creates a server that names its requests, measures, knows its callers and limits them. */
async function createGateway(
  context: GatewayContext,
  { takesUploads }: { takesUploads: boolean },
): Promise<Server> {
  const server: Server = fastify({
    loggerInstance: context.log,
    genReqId: requestIdOf,
    rewriteUrl: (request) =>
      belowPublicUrl(request, { publicUrl: context.publicUrl, access: server.access }),
    trustProxy: [...context.trustedProxies],
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: timeoutCheckMs },
    routerOptions: { maxParamLength: maxUrlLength, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnreadableAddress(context),
    clientErrorHandler: answerBrokenRequest(context),
  })
  server.setValidatorCompiler(compileParameters)
  // Schemas of answers are documentation; the routes make the answers themselves.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data))
  server.setErrorHandler(answerError)
  answerRequestIds(server)
  markInnerCalls(server)
  measure(server, context)
  logAccess(server, context)
  traceRequests(server, context)
  endUnusedConnections(server)
  collectAccess(server)
  server.decorateRequest('account')
  server.decorateRequest('db')
  server.decorateRequest('operator')
  // Registered before the hooks for browsers and callers: nodes, which upload here, are neither.
  if (takesUploads) {
    await server.register(async (open) => objectsRoute(open, { context, methods: ['PUT'] }))
  }
  await setSecurityHeaders(server)
  refuseSpelledOut(server)
  server.addHook('onRequest', authenticate(context))
  const limit = limitRate(context)
  server.decorate('limitRate', limit)
  server.addHook('onRequest', limit)
  return server
}

async function serveOperators(server: Server, context: GatewayContext): Promise<void> {
  await publishOperatorApi(server, context)
  await server.register(async (typed: Server) => {
    closeQueries(typed)
    acceptJsonOnly(typed)
    refuseUnusedBodies(typed)
    operatorAuthRoutes(typed, context)
    operatorRoutes(typed, context)
  })
}

async function serveCustomers(server: Server, context: GatewayContext): Promise<void> {
  healthRoutes(server, context)
  rootRoute(server, context)
  await dashboardRoutes(server, context)
  llmsRoute(server, context)
  await server.register(async (open) => objectsRoute(open, { context, methods: ['GET', 'HEAD'] }))
  metadataRoutes(server, context)
  consentPageRoutes(server)
  watchPageRoutes(server, context)
  await server.register(async (oauth: Server) => oauthRoutes(oauth, context))
  // Files come neither as JSON nor within the time of a JSON body.
  await server.register(async (files: Server) => {
    closeQueries(files)
    receiveUploadRoute(files, context)
  })
  const library = libraryOf(context)
  await server.register(async (typed: Server) => {
    closeQueries(typed)
    acceptJsonOnly(typed)
    refuseUnusedBodies(typed)
    repeatAnswers(typed, context)
    agentRoute(typed, context)
    renderRoute(typed, context)
    validateRoute(typed, context)
    previewRoute(typed, context)
    schemaRoute(typed)
    repairRoute(typed, context)
    elementRoutes(typed)
    exampleRoutes(typed)
    stockRoutes(typed)
    libraryRoutes(typed, library)
    examplesSheetRoute(typed, library)
    creativePlanRoute(typed, context, library)
    templatesRoutes(typed, context)
    templateRoutes(typed, context)
    duplicateTemplateRoute(typed)
    previewTemplateRoute(typed, context)
    projectsRoutes(typed, context)
    projectRoutes(typed, context)
    projectVersionRoutes(typed, context)
    await typed.register(async (patches: Server) => patchProjectRoute(patches, context))
    uploadsRoutes(typed, context)
    uploadedFileRoute(typed, context)
    quoteRoutes(typed, context)
    bulkRoute(typed, context)
    bulksRoute(typed)
    bulkProgressRoute(typed, context)
    bulkResultsRoute(typed, context)
    bulkCancelRoute(typed, context)
    bulkRetryRoute(typed, context)
    bulkZipRoute(typed, context)
    jobRoute(typed, context)
    thumbnailRoute(typed, context)
    jobsRoute(typed, context)
    cancelRoute(typed, context)
    retryRoute(typed, context)
    requestRoute(typed)
    timelineRoute(typed, context)
    explainRoute(typed, context)
    eventsRoute(typed, context)
    accountEventsRoute(typed, context)
    playRoute(typed, context)
    playStateRoute(typed, context)
    profileRoute(typed, context)
    creditsRoute(typed)
    creditHistoryRoutes(typed)
    estimateRoute(typed, context)
    apiKeysRoutes(typed)
    apiKeyRoutes(typed)
    authRoutes(typed, context)
    sessionRoutes(typed, context)
    consentRoutes(typed, context)
    agentConnectionRoutes(typed, context)
    webhooksRoutes(typed, context)
    webhookRoutes(typed, context)
    rotateSecretRoute(typed, context)
    deliveriesRoute(typed)
    allDeliveriesRoute(typed)
    jobDeliveriesRoute(typed, context)
    testWebhookRoute(typed)
    redeliverRoute(typed)
    redeliverFailedRoute(typed)
  })
}

/** Measures the seconds of every answer, by route and status; the caller of an aborted one hung up. */
function measure(server: Server, { metrics }: ApiContext): void {
  onEnded(server, (request, reply) => {
    if (request.innerOf) return
    const route = request.routeOptions.url ?? 'unknown'
    // A fault stays one, also where its caller did not wait for it.
    const status = isAborted(reply) && reply.statusCode < 500 ? 'aborted' : reply.statusCode
    const seconds = reply.elapsedTime / 1000
    metrics.answered({ method: request.method, route, status, seconds })
  })
}
