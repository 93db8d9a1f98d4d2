import { appendFileSync, mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { findProgram } from '../setup/cache.mjs'
import { freePorts } from './ports.ts'
import { type Exit, startProcess, waitUntilReady } from './processes.ts'

const startTimeoutMs = 60_000
const probeTimeoutMs = 2_000
/** Free disk space needed to go on. */
const roomBytes = 16 * 2 ** 20
const roomPollMs = 1_000

/**
 * Settings against slow polls: the dev server polls its queues 20 times a second, which costs 100
 * ms for every activity. Measured on a workflow of three activities: 268 ms before, about 70 ms
 * after (together with the pragmas).
 */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
]
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL']

export type LocalTemporal = {
  readonly address: string
  readonly pid: number
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
  settings = [],
  onTrouble = () => undefined,
}: {
  dataDir: string
  port?: number
  /** More of its dynamic configuration, each as `name=value`. */
  settings?: readonly string[]
  /** Called on a full disk, with a sentence for the operator. */
  onTrouble?: (sentence: string) => void
}): Promise<LocalTemporal> {
  const command = findProgram('temporal')
  if (!command) {
    throw new Error("Temporal's server (`temporal`) is not on this machine; run `npm run setup`")
  }
  mkdirSync(dataDir, { recursive: true })
  const [grpc, http, metrics, ui] = await freePorts(4)
  const address = `127.0.0.1:${port ?? grpc}`
  const logFile = join(dataDir, 'temporal.log')
  const endAfterFullDisk = onceAtFullDisk(async () => {
    onTrouble(`The disk under ${dataDir} is full; Temporal starts again when there is room`)
    await untilRoom(dataDir)
    await server.stop()
  })
  const server = await startProcess({
    name: 'Temporal',
    command,
    args: [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1'],
      ...['--port', String(port ?? grpc), '--http-port', String(http)],
      ...['--metrics-port', String(metrics), '--ui-port', String(ui)],
      ...['--db-filename', join(dataDir, 'temporal.db'), '--log-level', 'warn'],
      ...[...dynamicConfig, ...settings].flatMap((value) => ['--dynamic-config-value', value]),
      ...sqlitePragmas.flatMap((value) => ['--sqlite-pragma', value]),
    ],
    logFile,
    // A graceful end takes a second, and the server must survive a kill in any case.
    stopSignal: 'SIGKILL',
    onLine(line) {
      keepLine(logFile, line)
      endAfterFullDisk(line)
    },
  })
  await waitUntilReady(server, {
    probe: () => probeDefaultNamespace(address),
    timeoutMs: startTimeoutMs,
  })
  return { address, pid: server.pid, exited: server.exited, stop: server.stop }
}

/**
 * Calls `act` at the first failed write on a full disk. The server then refuses every later write,
 * even when there is space again, and lives on: it must be restarted.
 */
function onceAtFullDisk(act: () => Promise<void>): (line: string) => void {
  let isFull = false
  return (line) => {
    if (isFull || !/database or disk is full|no space left on device/i.test(line)) return
    isFull = true
    void act()
  }
}

async function untilRoom(dataDir: string): Promise<void> {
  for (;;) {
    const { bavail, bsize } = statfsSync(dataDir)
    if (bavail * bsize > roomBytes) return
    await sleep(roomPollMs, undefined, { ref: false })
  }
}

/** Appends a line; a full disk has no room for it either. */
function keepLine(logFile: string, line: string): void {
  try {
    appendFileSync(logFile, `${line}\n`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
