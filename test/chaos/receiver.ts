import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A delivery as it came in, each time it did. */
export type Arrival = {
  readonly path: string
  readonly deliveryId: string
  readonly body: string
}

export type Receiver = {
  readonly host: string
  readonly arrivals: readonly Arrival[]
  /** Counts arrivals that were accepted but not answered. */
  readonly unanswered: () => number
  at(path: string): string
  /** Answers every arrival from now on. */
  answerAll(): void
  stop(): Promise<void>
}

/** Each arrival of this number is accepted, and its connection ended without an answer. */
const unansweredEvery = 7

/** Starts the customers' server for events. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  let unanswered = 0
  let answersAll = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const deliveryId = String(request.headers['x-service-delivery-id'])
    arrivals.push({
      path: request.url ?? '',
      deliveryId,
      body: Buffer.concat(chunks).toString('utf8'),
    })
    if (!answersAll && arrivals.length % unansweredEvery === 0) {
      unanswered += 1
      request.socket.destroy()
    } else response.writeHead(204).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ host, arrivals },
    unanswered: () => unanswered,
    at: (path) => `http://${host}${path}`,
    answerAll() {
      answersAll = true
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
