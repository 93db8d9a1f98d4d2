import { join } from 'node:path'
import { findProgram } from '../setup/cache.mjs'
import { freePort } from './ports.ts'
import { startProcess, waitUntilReady } from './processes.ts'

const startTimeoutMs = 60_000

export type LocalToxiproxy = { readonly url: string; readonly pid: number; stop(): Promise<void> }

/**
 * Starts a Toxiproxy for tests on 127.0.0.1, ending with this process. `url` is its own API, which
 * makes and breaks proxies.
 */
export async function startToxiproxy({ dataDir }: { dataDir: string }): Promise<LocalToxiproxy> {
  const command = findProgram('toxiproxy-server')
  if (!command) {
    throw new Error(
      'Toxiproxy (`toxiproxy-server`) is not on this machine; run `npm run setup -- --test`',
    )
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProcess({
    name: 'Toxiproxy',
    command,
    args: ['-host', '127.0.0.1', '-port', String(port)],
    env: { ...process.env, LOG_LEVEL: 'error' },
    logFile: join(dataDir, 'toxiproxy.log'),
  })
  const probe = async () => {
    const answer = await fetch(`${url}/version`)
    if (!answer.ok) throw new Error(`Toxiproxy answers HTTP ${answer.status}`)
  }
  await waitUntilReady(server, { probe, timeoutMs: startTimeoutMs })
  return { url, pid: server.pid, stop: server.stop }
}
