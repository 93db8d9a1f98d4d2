import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './ports.ts'
import { findPostgres, type Postgres } from './postgres-home.ts'
import { type Exit, type Running, startProcess, waitUntilReady } from './processes.ts'

const startTimeoutMs = 60_000
/** Time until the server of a killed farm is told to end; its shutdown comes after that. */
const toldToEndMs = 3_000
const shutdownMs = 30_000
/** Line of postmaster.pid: `starting`, `ready` or `stopping` (src/include/utils/pidfile.h). */
const statusLine = 7
const superuser = 'farm'
const database = 'farm'

export type LocalPostgres = {
  readonly url: string
  /** Process id of the postmaster. */
  readonly pid: number
  readonly exited: Promise<Exit>
  stop(): Promise<void>
}

/** Reads the password, generated once for each cluster and stored beside it, for its owner only. */
function readPassword({ base, user }: Postgres): string {
  const file = join(base, 'password')
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
    if (user) chownSync(file, user.uid, user.gid)
  }
  return readFileSync(file, 'utf8')
}

/** Runs initdb into a folder beside the cluster and renames it, so that no partial cluster is used. */
async function createCluster(postgres: Postgres, cluster: string): Promise<void> {
  const unfinished = `${cluster}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const initdb = await startProcess({
    name: 'initdb',
    command: join(postgres.binaries, 'bin', 'initdb'),
    args: [
      `--pgdata=${unfinished}`,
      '--auth=scram-sha-256',
      `--username=${superuser}`,
      `--pwfile=${join(postgres.base, 'password')}`,
      '--encoding=UTF8',
      '--locale=C',
    ],
    cwd: postgres.base,
    logFile: postgres.logFile,
    ...(postgres.user && { user: postgres.user }),
  })
  const { code, signal } = await initdb.exited
  if (code !== 0) {
    const log = readFileSync(postgres.logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
    throw new Error(`initdb failed (${signal ?? `exit code ${code}`}): ${log}`)
  }
  renameSync(unfinished, cluster)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function commandOf(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
}

/**
 * Waits for, or removes, an old pid file. Postgres writes its pid into the cluster and refuses to
 * start while a process with that number lives. If that process is this cluster's server, it may be
 * shutting down, so wait. If it is another program (numbers are reused, in containers at once), the
 * file is stale. An unused number is left to Postgres, which also checks the shared memory.
 */
async function clearStalePid(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const began = Date.now()
  while (existsSync(pidFile)) {
    const lines = readFileSync(pidFile, 'utf8').split('\n')
    const pid = Number.parseInt(lines[0] ?? '', 10)
    if (!Number.isInteger(pid) || !isAlive(pid)) return
    if (!commandOf(pid).includes(cluster)) {
      rmSync(pidFile, { force: true })
      return
    }
    const isStopping = lines[statusLine]?.trim() === 'stopping'
    if (Date.now() - began > (isStopping ? shutdownMs : toldToEndMs)) {
      throw new Error(
        `A data directory serves one farm at a time; process ${pid} already runs Postgres in ${cluster}`,
      )
    }
    await sleep(100)
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [database])
    if (found.rowCount === 0) await client.query(`create database ${database}`)
  } finally {
    await client.end()
  }
}

async function startServer(
  postgres: Postgres,
  { cluster, port, settings }: { cluster: string; port: number; settings: readonly string[] },
): Promise<Running> {
  return startProcess({
    name: 'Postgres',
    command: join(postgres.binaries, 'bin', 'postgres'),
    args: ['-D', cluster, '-p', String(port), '-h', '127.0.0.1']
      // No socket in /tmp, which could collide; enough connections for every role and its replicas.
      .concat(['-c', 'unix_socket_directories=', '-c', 'max_connections=300'])
      .concat(settings.flatMap((setting) => ['-c', setting])),
    cwd: postgres.base,
    logFile: postgres.logFile,
    // "Fast shutdown": closes open connections instead of waiting for them.
    stopSignal: 'SIGINT',
    ...(postgres.user && { user: postgres.user }),
  })
}

/**
 * Starts a real Postgres in `dataDir` (created when absent, its data reused when there) that ends with
 * this process. Writes are as durable as in production. `url` names the database `farm`, on 127.0.0.1
 * only. `binaries` is the folder of another Postgres than npm's, `settings` are `name=value`.
 */
export async function startPostgres({
  dataDir,
  port,
  binaries,
  settings = [],
}: {
  dataDir: string
  port?: number
  binaries?: string
  settings?: readonly string[]
}): Promise<LocalPostgres> {
  mkdirSync(dataDir, { recursive: true })
  const postgres = findPostgres(resolve(dataDir), binaries)
  const password = readPassword(postgres)
  const cluster = join(postgres.base, 'cluster')
  if (!existsSync(cluster)) await createCluster(postgres, cluster)
  await clearStalePid(cluster)
  const listenPort = port ?? (await freePort())
  const server = await startServer(postgres, { cluster, port: listenPort, settings })
  const url = `postgres://${superuser}:${password}@127.0.0.1:${listenPort}`
  await waitUntilReady(server, { probe: () => ensureDatabase(url), timeoutMs: startTimeoutMs })
  return { url: `${url}/${database}`, pid: server.pid, exited: server.exited, stop: server.stop }
}
