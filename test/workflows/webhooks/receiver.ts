import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly deliveryId: string
  /** Unix ms: its arrival, and its answer. */
  readonly beganAt: number
  readonly endedAt: number
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

const patienceMs = 180_000
const pollMs = 20

/**
 * Starts a customer's server on loopback. `/ok` accepts, `/fail` answers 500, `/dead` never
 * answers, `/held` answers when `release` is called.
 */
export async function startReceiver() {
  const all: Received[] = []
  let open = 0
  let mostOpen = 0
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const beganAt = Date.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    if (path === '/dead') {
      open += 1
      mostOpen = Math.max(mostOpen, open)
      request.socket.once('close', () => {
        open -= 1
      })
    }
    const deliveryId = String(request.headers['x-service-delivery-id'])
    const came = { path, headers: request.headers, body: Buffer.concat(chunks), deliveryId }
    if (path === '/held') await released
    if (path !== '/dead') response.writeHead(path === '/fail' ? 500 : 200).end()
    all.push({ ...came, beganAt, endedAt: Date.now() })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    all,
    release,
    /** Most connections to `/dead` at one time. */
    mostOpen: () => mostOpen,
    at: (path: string) => `http://${host}${path}`,
    of: (path: string) => all.filter((each) => each.path === path),
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Resolves when `isIt` holds; rejects with `what` when it does not for long. */
export async function until(isIt: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isIt())) {
    if (Date.now() > deadline) throw new Error(`It never came about: ${what}`)
    await sleep(pollMs)
  }
}
