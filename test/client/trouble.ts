import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createFarmClient, type FarmClientOptions } from '../../client/farm-client.ts'
import type { Gateway } from '../api/gateway.ts'

/** Fate of a request that is not simply passed on: `lost` is carried out, and its answer lost. */
type Trouble =
  | 'cut'
  | 'lost'
  | { readonly status: number; readonly headers?: Record<string, string> }

type Seen = {
  readonly route: string
  readonly headers: IncomingMessage['headers']
}

/**
 * Creates a client of a real gateway behind a failing proxy: `troubles` are the fates of the next
 * requests, in order. `cutStreams` breaks the open streams of events.
 */
export async function clientBehindTrouble(
  t: ExecutionContext,
  gateway: Gateway,
  {
    credits,
    ...options
  }: Partial<Omit<FarmClientOptions, 'url' | 'apiKey' | 'accessToken'>> & { credits?: number } = {},
) {
  const { port } = gateway.server.server.address() as AddressInfo
  const customer = await gateway.customer(credits)
  const troubles: Trouble[] = []
  const seen: Seen[] = []
  const streams = new Set<ServerResponse>()

  const proxy = createServer((asked, reply) => {
    seen.push({ route: `${asked.method} ${asked.url}`, headers: asked.headers })
    const trouble = troubles.shift()
    if (trouble === 'cut') {
      asked.socket.destroy()
      return
    }
    if (typeof trouble === 'object') {
      asked.resume()
      reply.writeHead(trouble.status, trouble.headers).end()
      return
    }
    const { method, url, headers } = asked
    const passed = request({ port, method, path: url, headers }, (answer) => {
      if (trouble === 'lost') {
        answer.resume().once('end', () => asked.socket.destroy())
        return
      }
      if (url?.endsWith('/events')) streams.add(reply)
      reply.once('close', () => passed.destroy())
      reply.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(reply)
    })
    passed.once('error', () => asked.socket.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    ...{ customer, troubles, seen, url },
    farm: createFarmClient({ url, apiKey: customer.key, ...options }),
    cutStreams() {
      for (const reply of streams) reply.destroy()
      streams.clear()
    },
  }
}
