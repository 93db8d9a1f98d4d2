import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

/**
 * Starts a proxy that adds an API key, for judges that cannot send one. Host, Origin and all else
 * pass as they come. Returns its address.
 */
export async function startKeyProxy(t: Pick<ExecutionContext, 'teardown'>, url: URL, key: string) {
  const server = createServer((asked, reply) => {
    const { method = 'GET', url: path = '/', headers } = asked
    const sent = request(
      {
        host: url.hostname,
        port: url.port,
        method,
        path,
        headers: { ...headers, 'x-api-key': key },
      },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(reply)
      },
    )
    sent.on('error', () => reply.destroy())
    reply.on('close', () => sent.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const { port } = server.address() as AddressInfo
  return new URL(url.pathname, `http://127.0.0.1:${port}`)
}
