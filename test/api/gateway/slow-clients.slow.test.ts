import net from 'node:net'
import test from 'ava'
import { type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

/** Sends a text, then a byte every second, until the api hangs up. */
async function drip(text: string): Promise<void> {
  const address = gateway.server.server.address()
  if (typeof address !== 'object' || !address) throw new Error('The api has no port')
  const socket = net.connect({ host: '127.0.0.1', port: address.port })
  socket.on('error', () => undefined).resume()
  socket.write(text)
  const timer = setInterval(() => socket.write('x'), 1000)
  await new Promise((closed) => socket.once('close', closed))
  clearInterval(timer)
}

test('a client that never ends its headers is cut off', async (t) => {
  await drip('GET /healthz HTTP/1.1\r\nhost: farm\r\nx-slow: ')
  t.pass()
})

test('a client that never ends its body is cut off', async (t) => {
  const { key } = await gateway.customer()
  const head = [
    `POST ${renderPath} HTTP/1.1`,
    ...['host: farm', 'content-type: application/json', 'content-length: 100000'],
    `x-api-key: ${key}`,
  ]
  await drip(`${head.join('\r\n')}\r\n\r\n{`)
  t.pass()
})

test('a client that connects but never asks does not delay the end', async (t) => {
  const { server, stop } = await gateway.startReplica()
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
  const connected = new Promise((resolve) => server.server.once('connection', resolve))
  const socket = net.connect({ host: '127.0.0.1', port: Number(port) })
  const closed = new Promise((resolve) =>
    socket.on('error', () => undefined).once('close', resolve),
  )
  socket.resume()
  await connected
  await stop()
  await closed
  t.pass()
})
