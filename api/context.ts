import { Client, Connection } from '@temporalio/client'
import type { Log } from '../runtime/log.ts'
import type { Prometheus } from '../runtime/prometheus.ts'
import type { SealKeys } from '../runtime/seal.ts'
import { noTracing, type Tracing } from '../runtime/tracing/tracing.ts'
import { type AccountDatabases, openAccountDatabases } from '../store/db/account-databases.ts'
import { readRequestsOfMinute } from '../store/db/accounts/read-plan-use.ts'
import { type Db, openDatabase } from '../store/db/database.ts'
import { markWorkflowsStarted } from '../store/db/jobs/mark-workflow-started.ts'
import type { LinkSigner, ObjectStore } from '../store/objects/object-store.ts'
import { openFileServer, openObjectStore } from '../store/objects/open.ts'
import type { SignedFileServer } from '../store/objects/signed-file-server.ts'
import { type BulkRenderInput, startBulkRender, startRenderJob } from '../workflows/contract.ts'
import { type AccessRecords, keepAccessRecords } from './access-log/access-records.ts'
import { createDashboardTokens, type DashboardTokens } from './account/dashboard-token.ts'
import type { ApiConfig } from './config.ts'
import { createDashboard, type Dashboard } from './dashboard/dashboard.ts'
import { CredentialEnds } from './gateway/credential-ends.ts'
import { createSliceQueue, type SliceQueue } from './gateway/slice-queue.ts'
import { AccountEvents } from './jobs/account-events.ts'
import { FilmPlans } from './jobs/film-plans.ts'
import { JobChanges } from './jobs/job-changes.ts'
import { JobEvents } from './jobs/job-events.ts'
import { JobReader } from './jobs/job-reader.ts'
import { type AccountPlaces, StreamPlaces } from './jobs/stream-places.ts'
import { SubmissionBatcher } from './jobs/submission-batcher.ts'
import { WaitingReader } from './jobs/waiting-reader.ts'
import { createWorkflowStarts, type WorkflowStarts } from './jobs/workflow-starts.ts'
import { countKeyUsage, type KeyUsage } from './keys/key-usage.ts'
import { type ApiMetrics, createApiMetrics } from './metrics.ts'
import type { OAuthSettings } from './oauth/settings.ts'
import { createSignInServer, type SignInServer } from './oauth/sign-in-server.ts'
import type { PlayLinks } from './playback/play-links.ts'
import { PlayStates } from './playback/play-states.ts'
import { Playback } from './playback/playback.ts'
import { Previews } from './previews/previews.ts'

/** Dependencies of the routes; their database is `request.db`. */
export type ApiContext = {
  readonly log: Log
  readonly metrics: ApiMetrics
  readonly tracing: Tracing
  readonly objects: LinkSigner & Pick<ObjectStore, 'get' | 'put' | 'read' | 'stat'>
  /** Absent when the object store serves its URLs itself. */
  readonly fileServer: SignedFileServer | undefined
  readonly trustedHosts: readonly string[]
  readonly jobEvents: JobEvents
  readonly accountEvents: AccountEvents
  /** Downloads of bulks that are under way. */
  readonly zipPlaces: AccountPlaces
  readonly jobReader: JobReader
  readonly filmPlans: FilmPlans
  readonly waitingReader: WaitingReader
  readonly sealKeys: SealKeys
  readonly submissionBatcher: SubmissionBatcher
  readonly workflowStarts: WorkflowStarts
  readonly credentialEnds: Pick<CredentialEnds, 'watch'>
  readonly previews: Previews
  readonly playLinks: PlayLinks
  readonly playback: Playback
  readonly playStates: PlayStates
  /** Rejects within seconds when Temporal is away. */
  readonly startBulk: (bulk: BulkRenderInput) => Promise<void>
  /** Runs work that is too long for one turn of the event loop. */
  readonly sliceQueue: SliceQueue
  /** Counts the requests of an account in this minute; null where rates are not limited. */
  readonly requestsOfMinute: (accountId: string) => Promise<number | null>
}

/**
 * Dependencies of authentication, which must see every account. Routes of customers do not get
 * them.
 */
export type GatewayContext = ApiContext & {
  readonly db: Db
  /** Address at which customers reach the service. */
  readonly publicUrl: string
  readonly accountDatabases: AccountDatabases
  readonly tokens: DashboardTokens
  readonly operatorTokens: DashboardTokens
  /** True: the customers' listener serves the operators' API and pages as well. */
  readonly servesOperators: boolean
  /** Address at which operators reach them, and that of the customers' pages. */
  readonly operatorUrl: string
  readonly customersUrl: string
  /** Answers the queries of operators' charts. */
  readonly prometheus: Prometheus | undefined
  /** Longest time of an operator's search of requests; absent: eight seconds. */
  readonly searchMs: number | undefined
  /** Files of all accounts, for operators. */
  readonly farmObjects: LinkSigner & Pick<ObjectStore, 'read'>
  readonly keyUsage: KeyUsage
  /** True: the plans' limits of requests a minute are enforced. */
  readonly hasRateLimits: boolean
  /** Requests that an address may make without a valid credential. */
  readonly strangersPerMinute: number
  /** True: each request is a line of the log. */
  readonly hasAccessLog: boolean
  /** Absent: operators search no requests. */
  readonly accessRecords: AccessRecords | undefined
  readonly trustedProxies: readonly string[]
  readonly oauth: OAuthSettings
  /** Address of the hosted endpoint, the resource of agents' tokens. */
  readonly mcpUrl: string
  /** Origins of web pages that may call it. */
  readonly mcpOrigins: readonly string[]
  readonly signInServer: SignInServer
  readonly dashboard: Dashboard
  /** Folder of its build. */
  readonly dashboardFolder: string
}

/** Downloads of bulks of one account at a time: each holds a file of the store open. */
const zipsOfAccount = 4
const startTimeoutMs = 5_000
/**
 * Longest wait for a connection: as long as any statement may take, for bursts of submissions on a
 * slow machine.
 */
const databaseWaitMs = 30_000

export function openContext(
  config: ApiConfig,
  log: Log,
  tracing: Tracing = noTracing,
): { readonly context: GatewayContext; close(): Promise<void> } {
  const { databaseUrl: url, temporal } = config
  const db = openDatabase({ url, log, waitMs: databaseWaitMs, prepared: true })
  const keyUsage = countKeyUsage({ db, log })
  const accountDatabases = openAccountDatabases({ url, log, waitMs: databaseWaitMs })
  // Not retried here: a job whose workflow cannot be started now is left to the sweeper.
  const connection = Connection.lazy({ ...temporal.server, interceptors: [] })
  const client = new Client({ connection, namespace: temporal.namespace })
  const metrics = createApiMetrics()
  const accessRecords = config.accessDays > 0 ? keepAccessRecords({ db, log, metrics }) : undefined
  const objects = openObjectStore(config.objects, config)
  const playLinks = { publicUrl: config.publicUrl, secret: config.secret }
  const changes = new JobChanges({ databaseUrl: url, log })
  const playback = new Playback({ db, objects, changes })
  const places = new StreamPlaces(metrics)
  const jobEvents = new JobEvents({
    ...{ accountDatabases, changes, places, log, objects, playLinks },
  })
  const accountEvents = new AccountEvents({
    ...{ db, accountDatabases, changes, places, log, links: { objects, playLinks } },
  })
  const jobReader = new JobReader({ accountDatabases, databaseUrl: url, log })
  const credentialEnds = new CredentialEnds({ db, databaseUrl: url, log })
  const workflowStarts = createWorkflowStarts({
    start: (job) =>
      client.withDeadline(Date.now() + startTimeoutMs, () => startRenderJob(client, job)),
    mark: (jobs) => markWorkflowsStarted(db, jobs),
    log,
  })
  return {
    context: {
      db,
      publicUrl: config.publicUrl,
      accountDatabases,
      keyUsage,
      tokens: createDashboardTokens(config.secret),
      operatorTokens: createDashboardTokens(config.secret, undefined, 'operator'),
      servesOperators: config.operatorApi === 'on',
      operatorUrl: config.operatorUrl,
      customersUrl: config.publicUrl,
      prometheus: config.prometheus,
      searchMs: config.searchMs,
      farmObjects: objects,
      log,
      metrics,
      tracing,
      objects,
      jobEvents,
      accountEvents,
      zipPlaces: places.of('downloads of bulks', zipsOfAccount),
      jobReader,
      filmPlans: new FilmPlans(objects),
      waitingReader: new WaitingReader(),
      hasRateLimits: config.rateLimits === 'on',
      strangersPerMinute:
        config.rateLimits === 'on' ? config.strangersPerMinute : Number.POSITIVE_INFINITY,
      hasAccessLog: config.accessLog === 'on',
      accessRecords,
      trustedProxies: config.trustedProxies,
      oauth: config.oauth,
      mcpUrl: config.oauth.mcpUrl,
      mcpOrigins: config.mcpOrigins,
      signInServer: createSignInServer({ ...config, db, log }),
      credentialEnds,
      dashboard: createDashboard({
        ...{ folder: config.dashboardFolder, publicUrl: config.publicUrl, objects },
        hasFarm: config.operatorApi === 'on',
      }),
      dashboardFolder: config.dashboardFolder,
      fileServer: openFileServer(config.objects, { secret: config.secret, log }),
      trustedHosts: config.trustedHosts,
      sealKeys: config.sealKeys,
      submissionBatcher: new SubmissionBatcher(accountDatabases),
      workflowStarts,
      previews: new Previews({
        ...{ db, jobReader, workflowStarts, objects },
        waitMs: config.previewWaitSeconds * 1000,
        hasRateLimits: config.rateLimits === 'on',
      }),
      playLinks,
      playback,
      playStates: new PlayStates(db, playback),
      startBulk: (bulk) =>
        client.withDeadline(Date.now() + startTimeoutMs, () => startBulkRender(client, bulk)),
      sliceQueue: createSliceQueue(),
      requestsOfMinute: async (accountId) =>
        config.rateLimits === 'on' ? await readRequestsOfMinute(db, accountId) : null,
    },
    async close() {
      await jobEvents.stop()
      await accountEvents.stop()
      await changes.stop()
      await jobReader.stop()
      await credentialEnds.stop()
      await workflowStarts.stop()
      await connection.close()
      await keyUsage.stop()
      await accessRecords?.stop()
      await accountDatabases.close()
      await db.destroy()
    },
  }
}
