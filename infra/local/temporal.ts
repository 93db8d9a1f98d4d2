import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { findProgram } from '../setup/cache.mjs'
import { freePorts } from './ports.ts'
import { type Exit, startProcess, waitUntilReady } from './processes.ts'

const startTimeoutMs = 60_000
const probeTimeoutMs = 2_000

/**
 * The dev server polls its queues 20 times a second, which costs 100 ms for every activity; with
 * these it does not. Measured on a workflow of three activities: 268 ms before, about 70 ms after
 * (together with the pragmas).
 */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
]
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL']

export type LocalTemporal = {
  readonly address: string
  readonly exited: Promise<Exit>
  stop(): Promise<void>
}

async function probeDefaultNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: probeTimeoutMs })
  try {
    await connection.withDeadline(Date.now() + probeTimeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    )
  } finally {
    await connection.close()
  }
}

/**
 * Starts Temporal's dev server with its state in `dataDir`, on 127.0.0.1, ending with this process.
 * Resolves when the namespace `default` answers. The log is `dataDir`/temporal.log.
 */
export async function startTemporal({
  dataDir,
  port,
}: {
  dataDir: string
  port?: number
}): Promise<LocalTemporal> {
  const command = findProgram('temporal')
  if (!command) {
    throw new Error("Temporal's server (`temporal`) is not on this machine; run `npm run setup`")
  }
  mkdirSync(dataDir, { recursive: true })
  const [grpc, http, metrics, ui] = await freePorts(4)
  const address = `127.0.0.1:${port ?? grpc}`
  const server = await startProcess({
    name: 'Temporal',
    command,
    args: [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1'],
      ...['--port', String(port ?? grpc), '--http-port', String(http)],
      ...['--metrics-port', String(metrics), '--ui-port', String(ui)],
      ...['--db-filename', join(dataDir, 'temporal.db'), '--log-level', 'warn'],
      ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
      ...sqlitePragmas.flatMap((value) => ['--sqlite-pragma', value]),
    ],
    logFile: join(dataDir, 'temporal.log'),
  })
  await waitUntilReady(server, {
    probe: () => probeDefaultNamespace(address),
    timeoutMs: startTimeoutMs,
  })
  return { address, exited: server.exited, stop: server.stop }
}
