import { Client, Connection } from '@temporalio/client'
import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { openDatabase } from '../store/db/database.ts'
import { openObjectStore } from '../store/objects/open.ts'
import { readConfig, type WorkflowsConfig } from './config.ts'
import { startRenderJob } from './contract.ts'
import { startRelay } from './relay.ts'
import { startSweeper } from './sweeper.ts'
import { installRuntime, runWorker } from './worker.ts'

const startTimeoutMs = 5_000

/** The role `farm workflows`: runs until it is told to stop. @throws EnvError */
export async function startWorkflows(env: Env): Promise<void> {
  const log = createLog('workflows')
  const config = readConfig(env)
  installRuntime(log)
  const { stop } = await openWorkflows(config, log)
  stopOnSignal({ log, stops: [stop] })
  log.info({ temporal: config.temporalAddress }, 'ready')
}

/** The role's parts: workflows and their stages, the relay of the outbox, the sweeper. */
export async function openWorkflows(
  {
    databaseUrl,
    temporalAddress: address,
    temporalNamespace: namespace,
    ...config
  }: WorkflowsConfig,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const db = openDatabase({ url: databaseUrl, log })
  const objects = openObjectStore(config.objects, config)
  await objects.prepare()
  const connection = Connection.lazy({ address })
  const client = new Client({ connection, namespace })
  const worker = await runWorker({
    address,
    namespace,
    context: {
      ...{ db, objects, log, trustedHosts: config.trustedHosts },
      startJob: (job) =>
        client.withDeadline(Date.now() + startTimeoutMs, () => startRenderJob(client, job)),
    },
  })
  const stopRelay = startRelay({ db, databaseUrl, client, log })
  const stopSweeper = startSweeper({ db, client, log })
  return {
    async stop() {
      await Promise.all([stopSweeper(), worker.stop()])
      await stopRelay()
      await connection.close()
      await db.destroy()
    },
  }
}
