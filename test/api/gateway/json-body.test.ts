import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { fastify } from 'fastify'
import { acceptJsonOnly } from '../../../api/gateway/json-body.ts'
import type { Server } from '../../../api/gateway/typed-server.ts'

const bodyTimeoutMs = 100

async function serve(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = fastify()
  acceptJsonOnly(server as unknown as Server, { bodyTimeoutMs })
  server.get('/stream', async (_request, reply) => {
    reply.hijack()
    reply.raw.write('begun ')
    await sleep(5 * bodyTimeoutMs)
    reply.raw.end('ended')
  })
  server.post('/read', async () => 'read')
  await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    port: (server.server.address() as AddressInfo).port,
    close: async () => await server.close(),
  }
}

test('an answer may go on after the time for a body', async (t) => {
  const { port, close } = await serve()
  const reply = await fetch(`http://127.0.0.1:${port}/stream`)
  t.is(await reply.text(), 'begun ended')
  await close()
})

test('a request whose body never ends loses its connection', async (t) => {
  const { port, close } = await serve()
  const socket = connect(port, '127.0.0.1')
  const head = 'POST /read HTTP/1.1\r\nHost: farm\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: 10\r\n\r\n{`)
  socket.resume()
  await once(socket, 'close')
  t.is(socket.bytesRead, 0)
  await close()
})
