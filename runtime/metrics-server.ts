import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { ListenAddress } from './env.ts'

/** Rejects, with the reason for people, while the role cannot do its work. */
export type Ready = () => Promise<void>

/** Longer than a live database takes, shorter than a probe waits. */
const readyTimeoutMs = 2_000

/**
 * Serves the monitoring endpoints of a role, apart from its work: `GET /metrics` for Prometheus,
 * `/healthz` (the process answers) and `/readyz` (503 with the reason while it cannot work).
 * Resolves when it listens.
 */
export async function serveMetrics(
  { host, port }: ListenAddress,
  { metrics, ready }: { metrics: Registry; ready: Ready },
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  addReadiness(metrics, ready)
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, 'GET only')
    switch (request.url) {
      case '/metrics':
        void sendMetrics(response, metrics)
        return
      case '/healthz':
        return send(response, 200, 'ok')
      case '/readyz':
        void reasonOf(ready).then((reason) =>
          reason === undefined ? send(response, 200, 'ok') : send(response, 503, reason),
        )
        return
      default:
        return send(response, 404, 'There is /metrics, /healthz and /readyz')
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const rule = 'FARM_METRICS_ADDRESS must be free on this machine, and its own for each role.'
      reject(new Error(`${rule} Got ${host}:${port}: ${cause.message}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
  return { port: (server.address() as AddressInfo).port, stop: () => close(server) }
}

export function addReadiness(metrics: Registry, ready: Ready): void {
  new Gauge({
    name: 'farm_ready',
    help: '1 when the role is ready, as /readyz reports, else 0',
    registers: [metrics],
    async collect() {
      this.set((await reasonOf(ready)) === undefined ? 1 : 0)
    },
  })
}

async function sendMetrics(response: ServerResponse, metrics: Registry): Promise<void> {
  try {
    send(response, 200, await metrics.metrics(), metrics.contentType)
  } catch (error) {
    send(response, 500, error instanceof Error ? error.message : String(error))
  }
}

/** Returns why the role cannot work; undefined when it can. */
async function reasonOf(ready: Ready): Promise<string | undefined> {
  const late = new AbortController()
  const timeout = sleep(readyTimeoutMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`no answer within ${readyTimeoutMs} ms`)
  })
  try {
    await Promise.race([ready(), timeout])
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    timeout.catch(() => undefined)
    late.abort()
  }
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type }).end(`${text}\n`)
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
