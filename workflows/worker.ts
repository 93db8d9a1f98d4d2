import {
  DefaultLogger,
  type MetricsBuffer,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker'
import type { Log } from '../runtime/log.ts'
import { repeat } from '../runtime/repeat.ts'
import type { TemporalServer } from '../runtime/temporal.ts'
import { diagnoseTemporal } from '../runtime/temporal-diagnostics.ts'
import { deploymentName } from './builds.ts'
import type { WorkflowBundle } from './bundle.ts'

const reconnectMs = 500

/** Work that a worker takes from one queue, with its limits. */
export type Work = Pick<
  WorkerOptions,
  | 'taskQueue'
  | 'activities'
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxConcurrentLocalActivityExecutions'
  | 'maxCachedWorkflows'
  | 'shutdownGraceTime'
> & {
  /** Takes only activities of its queue; the workflows that order them run on another. */
  readonly isActivitiesOnly?: boolean
  /** Its workflows stay with the build that began them (builds.ts). */
  readonly isPinned?: boolean
}

export type RunningWorker = { stop(): Promise<void> }

/** Temporal's runtime is one for a process; its signal handlers would interfere with ours. */
export function installRuntime(log: Log, buffer?: MetricsBuffer): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) =>
    log[level === 'ERROR' ? 'error' : 'warn']({ ...meta }, message),
  )
  const telemetryOptions = buffer && { telemetryOptions: { metrics: { buffer } } }
  Runtime.install({ logger, shutdownSignals: [], ...telemetryOptions })
}

/**
 * Runs workflows and their activities until stopped. Resolves when it begins to take work. A server
 * that is away, then or later, is retried until it is back.
 */
export async function runWorker({
  server,
  namespace,
  log,
  work: { isActivitiesOnly = false, isPinned = false, ...work },
  bundle,
}: {
  server: TemporalServer
  namespace: string
  log: Log
  work: Work
  bundle: WorkflowBundle
}): Promise<RunningWorker> {
  const { code, buildId } = bundle
  const workflows = {
    ...(!isActivitiesOnly && { workflowBundle: { code } }),
    ...(isPinned && {
      workerDeploymentOptions: {
        ...{ version: { deploymentName, buildId }, useWorkerVersioning: true as const },
        defaultVersioningBehavior: 'PINNED' as const,
      },
    }),
  }
  const { promise: started, resolve: begin } = Promise.withResolvers<void>()
  const running = repeat({
    everyMs: reconnectMs,
    run: runOnce,
    async onError(error) {
      const why = await diagnoseTemporal(server)
      log.warn({ err: error, address: server.address, why }, 'the connection to Temporal broke')
    },
  })
  await started
  return running

  async function runOnce(stopping: AbortSignal): Promise<void> {
    const connection = await NativeConnection.connect(server)
    try {
      const worker = await Worker.create({
        connection,
        namespace,
        ...workflows,
        ...work,
      })
      const shutDown = () => worker.shutdown()
      stopping.addEventListener('abort', shutDown)
      begin()
      if (!stopping.aborted) await worker.run()
      stopping.removeEventListener('abort', shutDown)
    } finally {
      await connection.close()
    }
  }
}
