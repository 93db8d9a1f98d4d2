import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

/** Sends bytes and returns the api's answer before it hangs up. */
async function say(bytes: string) {
  const { port } = gateway.server.server.address() as AddressInfo
  const socket = net.connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  const [first = '', ...headers] = head.split('\r\n')
  return { status: Number(first.split(' ')[1]), headers, problem: JSON.parse(body) }
}

const heads = [
  ['what is not HTTP', 'HELLO\r\n\r\n', 400],
  ['headers over 16 KB', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['a broken escape', 'GET /api/jobs/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 400],
  [
    'a part that is too long',
    `GET /api/jobs/${'a'.repeat(600)} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    400,
  ],
] as const
for (const [what, bytes, expected] of heads) {
  test(`${what} is answered as every other fault is`, async (t) => {
    const { status, headers, problem } = await say(bytes)
    t.is(status, expected)
    t.is(problem.status, expected)
    t.is(problem.code, 'invalid_request')
    t.is(problem.detail, problem.message)
    if (what.includes('long')) t.regex(problem.message, /^The path must have segments no longer/)
    t.true(headers.some((line) => /^content-type: application\/problem\+json/i.test(line)))
  })
}

test('a body in another charset is refused; OPTIONS without preflight is answered', async (t) => {
  const { key } = await gateway.customer()
  const post = (type: string) =>
    gateway.server.inject({
      ...{ method: 'POST', url: renderPath, payload: JSON.stringify(requestOf()) },
      headers: { 'content-type': type, 'x-api-key': key },
    })
  const refused = await post('application/json; charset=latin1')
  t.is(refused.statusCode, 415)
  t.is(refused.json().message, 'The body must be in UTF-8. Got charset latin1')
  t.is((await post('application/json; charset=UTF-8')).statusCode, 202)
  const { statusCode, body } = await gateway.server.inject({ method: 'OPTIONS', url: '/api/jobs' })
  t.deepEqual([statusCode, body], [204, ''])
})
