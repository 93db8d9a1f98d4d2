import { Client, Connection } from '@temporalio/client'
import { attemptTimeoutMs, retryDelaysMs as productionDelaysMs } from '../core/webhooks/schedule.ts'
import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { type Ready, serveMetrics } from '../runtime/metrics-server.ts'
import { keepFilesPrivate } from '../runtime/private-files.ts'
import { openTracing } from '../runtime/tracing/open.ts'
import { noTracing, type Tracing } from '../runtime/tracing/tracing.ts'
import { type Db, openDatabase } from '../store/db/database.ts'
import { knownMigrations } from '../store/db/migrate.ts'
import { checkSchema, waitForSchema } from '../store/db/schema-state.ts'
import { openObjectStore } from '../store/objects/open.ts'
import { startAlerts } from './alerts/keep-alerts.ts'
import { keepBuild, keepUnpinned } from './builds.ts'
import { type WorkflowBundle, workflowBundle } from './bundle.ts'
import { readConfig, type WorkflowsConfig } from './config.ts'
import { type RenderGroupInput, startRenderGroup, taskQueue } from './contract.ts'
import { webhookRetryQueue, webhookTaskQueue } from './definitions/webhook-queues.ts'
import { startCheckingLedger } from './janitor/check-ledger.ts'
import { startDroppingAccess } from './janitor/drop-old-access.ts'
import { startRetention } from './janitor/retention.ts'
import { startSealing } from './janitor/seal-old-drafts.ts'
import { startSweeper } from './janitor/sweeper.ts'
import { createWorkflowsMetrics, type WorkflowsMetrics } from './metrics.ts'
import { startRelay } from './outbox/relay.ts'
import { startWebhookRelay } from './outbox/webhook-relay.ts'
import { registeredActivities } from './stages/activities.ts'
import { collectTemporal } from './temporal-metrics.ts'
import { createWebhookActivities } from './webhooks/deliver.ts'
import { installRuntime, runWorker, type Work } from './worker.ts'

/**
 * Stages, or batches of them, that run at once, each with a database connection; concurrent queries
 * form one statement.
 */
const concurrentStages = 10
/**
 * Webhook attempts at once, for first attempts and retries each; the claim statement decides which
 * deliveries go first.
 */
const concurrentAttempts = 600

const startTimeoutMs = 5_000
/** Shorter than the timeout of a probe (metrics-server.ts). */
const readyTimeoutMs = 1_500

/** Runs the role `farm workflows` until it is stopped. @throws EnvError */
export async function startWorkflows(env: Env): Promise<void> {
  keepFilesPrivate(env)
  const log = createLog('workflows')
  const config = readConfig(env)
  const tracing = await openTracing({ role: 'workflows', env, log })
  const metrics = createWorkflowsMetrics()
  const { registry } = metrics
  const temporal = collectTemporal(registry)
  installRuntime(log, temporal.buffer)
  const db = openDatabase({ url: config.databaseUrl, log })
  let ready: Ready = async () => {
    await checkSchema(db, knownMigrations)
    throw new Error('it is starting')
  }
  const watched = await serveMetrics(config.metricsAddress, {
    metrics: registry,
    ready: () => ready(),
  })
  await waitForSchema({ db, known: knownMigrations, log })
  const workflows = await openWorkflows(config, log, { db, metrics, tracing })
  ready = workflows.ready
  stopOnSignal({ log, stops: [watched.stop, tracing.stop, temporal.stop, workflows.stop] })
  log.info({ temporal: config.temporal.server.address, metricsPort: watched.port }, 'ready')
}

/**
 * Opens the role's parts: workflows and stages of the jobs, webhook deliveries, the relays of both
 * outboxes, the sweeper and the alerts. Deliveries have a queue of their own, so that no receiver can delay a
 * job.
 */
export async function openWorkflows(
  { databaseUrl, temporal: { server, namespace }, ...config }: WorkflowsConfig,
  log: Log,
  {
    retryDelaysMs = productionDelaysMs,
    bundle: given,
    db = openDatabase({ url: databaseUrl, log }),
    metrics = createWorkflowsMetrics(),
    tracing = noTracing,
  }: {
    retryDelaysMs?: readonly number[]
    /** Absent: this checkout's. */
    bundle?: WorkflowBundle
    /** Absent: a pool of its own. It is closed with the role. */
    db?: Db
    metrics?: WorkflowsMetrics
    tracing?: Tracing
  } = {},
): Promise<{ readonly ready: Ready; stop(): Promise<void> }> {
  const { trustedHosts, sealKeys, isPinned = false } = config
  const bundle = given ?? (await workflowBundle(log, { file: config.bundleFile, isPinned }))
  // A pool of its own, because the rare statements of the others are better planned on each call.
  const stagesDb = openDatabase({
    url: databaseUrl,
    log,
    connections: concurrentStages,
    prepared: true,
  })
  const objects = openObjectStore(config.objects, config)
  await objects.prepare()
  const connection = Connection.lazy(server)
  const client = new Client({ connection, namespace })
  const startGroup = (group: RenderGroupInput) =>
    client.withDeadline(Date.now() + startTimeoutMs, () => startRenderGroup(client, group))
  const deliveries = {
    activities: createWebhookActivities({
      ...{ db, log, metrics, tracing, trustedHosts, sealKeys, retryDelaysMs },
    }),
    maxConcurrentActivityTaskExecutions: concurrentAttempts,
    shutdownGraceTime: attemptTimeoutMs + 2_000,
  }
  const works: readonly Work[] = [
    {
      taskQueue,
      isPinned,
      activities: registeredActivities({
        ...{ db: stagesDb, objects, log, metrics, tracing, trustedHosts, startGroup },
      }),
      maxConcurrentLocalActivityExecutions: concurrentStages,
      shutdownGraceTime: '5 seconds',
    },
    // Histories have a few events and replay in a millisecond, so no cache is needed, nor awaited
    // after a crash.
    { ...deliveries, taskQueue: webhookTaskQueue, maxCachedWorkflows: 0 },
    { ...deliveries, taskQueue: webhookRetryQueue, isActivitiesOnly: true },
  ]
  const workers = await Promise.all(
    works.map((work) => runWorker({ server, namespace, log, work, bundle })),
  )
  const { buildId } = bundle
  const stopBuild = isPinned
    ? keepBuild({ connection, namespace, buildId, log })
    : keepUnpinned({ connection, namespace, log })
  const stopRelay = startRelay({ db: stagesDb, databaseUrl, client, log })
  const stopWebhookRelay = startWebhookRelay({
    ...{ db, databaseUrl, client, log, attemptsAtOnce: concurrentAttempts },
  })
  const stopSweeper = startSweeper({ db, client, log, metrics, tracing })
  const stopRetention = startRetention({ db, objects, log })
  const { accessDays, accessGigabytes } = config
  const stopDropping = startDroppingAccess({ db, log, accessDays, accessGigabytes })
  const stopSealing = startSealing({ db, sealKeys, log })
  const stopCheckingLedger = startCheckingLedger({ db, log, metrics })
  const farmUrl = config.operatorUrl
  const stopAlerts = startAlerts({ db, log, sealKeys, trustedHosts, farmUrl })
  return {
    async ready() {
      await checkSchema(db, knownMigrations)
      await client.withDeadline(Date.now() + readyTimeoutMs, () =>
        connection.workflowService.getSystemInfo({}),
      )
    },
    async stop() {
      await Promise.all([
        ...[stopSweeper(), stopRetention(), stopDropping(), stopSealing(), stopAlerts()],
        ...[stopCheckingLedger(), stopBuild()],
        ...workers.map((worker) => worker.stop()),
      ])
      await Promise.all([stopRelay(), stopWebhookRelay()])
      await connection.close()
      await Promise.all([db.destroy(), stagesDb.destroy()])
    },
  }
}
