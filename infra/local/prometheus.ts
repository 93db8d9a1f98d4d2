import { join } from 'node:path'
import { findProgram } from '../setup/cache.mjs'
import { freePort } from './ports.ts'
import { startProcess, waitUntilReady } from './processes.ts'

const startTimeoutMs = 60_000

export type LocalPrometheus = { readonly url: string; stop(): Promise<void> }

/**
 * Starts a Prometheus for tests from a configuration file, with its data in `dataDir`, on
 * 127.0.0.1, ending with this process.
 */
export async function startPrometheus({
  configFile,
  dataDir,
}: {
  configFile: string
  dataDir: string
}): Promise<LocalPrometheus> {
  const command = findProgram('prometheus')
  if (!command) {
    throw new Error('Prometheus is not on this machine; run `npm run setup -- --test`')
  }
  const url = `http://127.0.0.1:${await freePort()}`
  const server = await startProcess({
    name: 'Prometheus',
    command,
    args: [
      ...[`--config.file=${configFile}`, `--storage.tsdb.path=${join(dataDir, 'tsdb')}`],
      `--web.listen-address=${new URL(url).host}`,
    ],
    logFile: join(dataDir, 'prometheus.log'),
  })
  const probe = async () => {
    const ready = await fetch(`${url}/-/ready`)
    if (!ready.ok) throw new Error(`Prometheus answers HTTP ${ready.status}`)
  }
  await waitUntilReady(server, { probe, timeoutMs: startTimeoutMs })
  return { url, stop: server.stop }
}
