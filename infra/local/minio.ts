import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'minio'
import { findProgram } from '../setup/cache.mjs'
import { freePorts } from './ports.ts'
import { type Exit, startProcess, waitUntilReady } from './processes.ts'

const startTimeoutMs = 60_000
const user = 'farm'
const bucket = 'farm'

export type LocalMinio = {
  readonly url: string
  readonly pid: number
  readonly exited: Promise<Exit>
  stop(): Promise<void>
}

/** Generated once for each folder, so that URLs signed before a restart stay valid after it. */
function readPassword(dataDir: string): string {
  const file = join(dataDir, 'minio-password')
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/**
 * Starts a MinIO for tests with its objects in `dataDir`, on 127.0.0.1, ending with this process.
 * `url` has the form of FARM_OBJECTS and names a bucket that exists.
 */
export async function startMinio({
  dataDir,
  port: wanted,
  env = {},
}: {
  dataDir: string
  port?: number
  env?: NodeJS.ProcessEnv
}): Promise<LocalMinio> {
  const command = findProgram('minio')
  if (!command) {
    throw new Error('MinIO (`minio`) is not on this machine; run `npm run setup -- --test`')
  }
  const objects = join(dataDir, 'objects')
  mkdirSync(objects, { recursive: true })
  const [free, consolePort] = await freePorts(2)
  const port = wanted ?? free
  const password = readPassword(dataDir)
  const server = await startProcess({
    name: 'MinIO',
    command,
    args: ['server', objects, '--quiet', '--address', `127.0.0.1:${port}`]
      // The console cannot be disabled; binding it to 127.0.0.1 hides it from the network.
      .concat(['--console-address', `127.0.0.1:${consolePort}`]),
    env: { ...process.env, ...env, MINIO_ROOT_USER: user, MINIO_ROOT_PASSWORD: password },
    logFile: join(dataDir, 'minio.log'),
  })
  const client = new Client({
    endPoint: '127.0.0.1',
    port: Number(port),
    useSSL: false,
    accessKey: user,
    secretKey: password,
    // The client logs its own retries; the probe is repeated anyway.
    retryOptions: { disableRetry: true },
  })
  const probe = async () => {
    // The client would print a warning for each refusal of a server that is still starting.
    const health = await fetch(`http://127.0.0.1:${port}/minio/health/ready`)
    if (!health.ok) throw new Error(`MinIO's health is HTTP ${health.status}`)
    if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket)
  }
  await waitUntilReady(server, { probe, timeoutMs: startTimeoutMs })
  const { pid, exited, stop } = server
  return { url: `s3://${user}:${password}@127.0.0.1:${port}/${bucket}?ssl=0`, pid, exited, stop }
}
