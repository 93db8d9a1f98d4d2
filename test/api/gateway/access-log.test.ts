import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { readConfig } from '../../../api/config.ts'
import { makeGrant, makeLastingGrant } from '../../../api/gateway/grants.ts'
import { addJob } from '../../store/database.ts'
import { bearer, signIn } from '../accounts.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

type Line = Readonly<Record<string, unknown>>

const lines: Line[] = []
const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let gateway: Gateway
let replica: Awaited<ReturnType<Gateway['startReplica']>>

test.before(async () => {
  gateway = await startGateway()
  replica = await gateway.startReplica({ trustedProxies: ['10.0.0.0/8'] }, log)
})
test.after.always(async () => {
  await replica?.stop()
  await gateway?.stop()
})

/** Returns the access log's lines about one request; they are written after the answer. */
async function linesOf(id: unknown): Promise<readonly Line[]> {
  for (;;) {
    const found = lines.filter(({ requestId, msg }) => requestId === id && msg === 'request')
    if (found.length > 0) return found
    await setImmediate()
  }
}

test('every request logs one line: caller, address, request and answer', async (t) => {
  const { key, accountId } = await gateway.customer()
  const reply = await replica.server.inject({
    ...{
      method: 'POST',
      url: renderPath,
      headers: { 'x-api-key': key, 'x-request-id': 'ci/build:7' },
    },
    ...{ payload: requestOf(), remoteAddress: '203.0.113.9' },
  })
  t.is(reply.statusCode, 202)
  t.is(reply.headers['x-request-id'], 'ci/build:7')
  const [line, ...more] = await linesOf('ci/build:7')
  t.deepEqual(more, [])
  t.like(line, {
    ...{
      method: 'POST',
      route: renderPath,
      status: 202,
      remote: '203.0.113.9',
      account: accountId,
    },
    ...{ key: key.slice(0, 12), job: reply.json().jobId, level: 30 },
  })
  t.true(Number(line?.ms) >= 0)
})

test('a session is logged by its user, never by its token', async (t) => {
  const { accountId } = await gateway.customer()
  const { accessToken, userId } = await signIn(gateway, accountId)
  const reply = await replica.server.inject({
    url: '/api/user/profile',
    headers: bearer(accessToken),
  })
  const [line] = await linesOf(reply.headers['x-request-id'])
  t.like(line, { route: '/api/user/profile', account: accountId, user: userId, status: 200 })
})

test('refused requests are logged too: bad keys, unknown paths, bad addresses', async (t) => {
  const key = `svc_${'0123456789abcdef'.repeat(4)}`
  const ask = async (url: string, headers = {}) => {
    const { headers: answered, statusCode, json } = await replica.server.inject({ url, headers })
    const [line] = await linesOf(answered['x-request-id'])
    t.is(line?.status, statusCode)
    // Every 401 has the same body.
    const named = statusCode === 401 ? undefined : answered['x-request-id']
    t.is(json().requestId, named, 'the problem names it')
    return line
  }
  t.like(await ask('/api/jobs?state=queued', { 'x-api-key': key }), {
    ...{ route: '/api/jobs', status: 401, key: 'svc_01234567' },
  })
  t.like(await ask('/api/nothing?token=hush'), { path: '/api/nothing', status: 404 })
  t.like(await ask('/api/jobs/x', { 'x-api-key': 'short secret' }), { route: '/api/jobs/:id' })
})

test('no secret stands in the log: queries, bodies, keys, tokens, passwords', async (t) => {
  const { key } = await gateway.customer()
  const hushed = ['hush-query', 'hush-body', 'hush-password', 'hush-token', key.slice(12)]
  const url = '/api/auth/sign-in?signature=hush-query'
  const payload = { email: 'a@b.example', password: 'hush-password', more: 'hush-body' }
  const headers = { 'x-api-key': key, authorization: 'Bearer hush-token' }
  await replica.server.inject({ method: 'POST', url, payload, headers })
  await replica.server.inject({ url: '/objects/accounts/a?signature=hush-query' })
  const text = JSON.stringify(lines)
  for (const word of hushed) t.false(text.includes(word), word)
})

test('an id that is not sane is replaced', async (t) => {
  const ask = async (id: string | undefined) =>
    (
      await replica.server.inject({
        ...{ url: '/healthz', headers: id === undefined ? {} : { 'x-request-id': id } },
      })
    ).headers['x-request-id']
  for (const id of [
    'a',
    '550e8400-e29b-41d4-a716-446655440000',
    'Root=1-67a:b/c+d=',
    'x'.repeat(128),
  ]) {
    t.is(await ask(id), id)
  }
  for (const id of [undefined, '', 'x'.repeat(129), 'a b', 'a"b', 'ä', '{"a":1}', 'a;b', 'a\tb']) {
    t.regex(String(await ask(id)), uuid, id)
  }
})

test('only trusted proxies can name the caller’s address', async (t) => {
  const from = async (remoteAddress: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const reply = await replica.server.inject({ url: '/api/jobs', remoteAddress, headers })
    return (await linesOf(reply.headers['x-request-id']))[0]?.remote
  }
  t.is(await from('203.0.113.5'), '203.0.113.5')
  t.is(await from('203.0.113.5', '198.51.100.1'), '203.0.113.5', 'it is no proxy of ours')
  t.is(await from('10.1.2.3', '198.51.100.1'), '198.51.100.1')
  t.is(await from('10.1.2.3', '6.6.6.6, 198.51.100.1'), '198.51.100.1', 'the first is made up')
  t.is(await from('10.1.2.3', '198.51.100.1, 10.9.9.9'), '198.51.100.1')
  t.is(await from('10.1.2.3', '"><script>'), '10.1.2.3')
  t.is(await from('::ffff:10.1.2.3', '2001:DB8::1'), '2001:db8::1')
  t.is(await from('::ffff:203.0.113.5'), '203.0.113.5')
})

test('bytes that are no HTTP are answered and logged with an id', async (t) => {
  await replica.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = replica.server.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('data', (text) => {
    answer += text
  })
  socket.write('HELLO\r\n\r\n')
  await once(socket, 'close')
  const id = /x-request-id: (\S+)/.exec(answer)?.[1]
  t.regex(answer, new RegExp(`"requestId":"${id}"`))
  t.like(
    lines.find(({ requestId }) => requestId === id),
    { msg: 'broken request', status: 400, remote: '127.0.0.1' },
  )

  const page = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  const { length } = await page.arrayBuffer().then((body) => new Uint8Array(body))
  const [line] = await linesOf(page.headers.get('x-request-id'))
  t.true(Number(line?.bytes) > length, 'bytes are those on the wire')
})

test('an address that is signed is no stranger, a changed one is', async (t) => {
  const strict = await gateway.startReplica({ strangersPerMinute: 3 }, log)
  t.teardown(() => strict.stop())
  const { secret } = gateway
  const now = new Date()
  const jobId = randomUUID()
  const grant = makeGrant({ kind: 'play', id: jobId }, { secret, endsAt: null, now })
  const zip = makeGrant({ kind: 'zip', id: jobId }, { secret, endsAt: null, now })
  const upload = makeLastingGrant({ kind: 'upload', id: jobId }, { secret })
  const ask = async (url: string) => (await strict.server.inject({ url })).statusCode
  for (const url of [
    `/play/${jobId}/${grant}/film.m3u8`,
    `/play/${jobId}/${grant}/state.json`,
    `/watch/${jobId}/${grant}`,
    `/download/${jobId}/${zip}/files.zip`,
    `/uploads/${jobId}/${upload}`,
  ]) {
    for (let i = 0; i < 5; i += 1) t.not(await ask(url), 429, url)
  }
  const changed = `/play/${jobId}/${grant.slice(0, -1)}x/film.m3u8`
  for (let i = 0; i < 3; i += 1) t.is(await ask(changed), 403)
  t.is(await ask(changed), 429)
})

test('an address without a credential is limited, a good key is not', async (t) => {
  const strict = await gateway.startReplica({ strangersPerMinute: 20 }, log)
  t.teardown(() => strict.stop())
  const { key } = await gateway.customer()
  const ask = async (remoteAddress: string, url: string, headers = {}) =>
    await strict.server.inject({ url, remoteAddress, headers })
  const bad = { 'x-api-key': `svc_${'0'.repeat(64)}` }
  const answers = []
  for (let i = 0; i < 10; i += 1) {
    answers.push(await ask('192.0.2.1', '/api/jobs'), await ask('192.0.2.1', '/openapi.json'))
  }
  t.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [401, 200])
  for (const [url, headers] of [
    ['/api/jobs', {}],
    ['/api/jobs', bad],
    ['/openapi.json', {}],
    ['/api/nowhere', {}],
    ['/', {}],
  ] as const) {
    const refused = await ask('192.0.2.1', url, headers)
    t.is(refused.statusCode, 429, url)
    t.regex(
      refused.json().message,
      /^An address may send 20 requests a minute without a valid cred/,
    )
    const wait = Number(refused.headers['retry-after'])
    t.true(wait >= 1 && wait <= 60)
  }
  t.is((await ask('192.0.2.1', '/api/jobs', { 'x-api-key': key })).statusCode, 200)
  t.is((await ask('192.0.2.1', '/healthz')).statusCode, 200, 'probes are not counted')
  t.is((await ask('192.0.2.2', '/api/jobs', bad)).statusCode, 401, 'another address')

  for (let i = 0; i < 20; i += 1) await ask(`2001:db8::${i + 1}`, '/api/jobs')
  t.is((await ask('2001:db8::ffff', '/api/jobs')).statusCode, 429, 'an IPv6 /64 is one caller')
  t.is((await ask('2001:db8:0:1::1', '/api/jobs')).statusCode, 401)
})

test('a request whose caller hangs up is logged and counted as aborted', async (t) => {
  const { key, accountId } = await gateway.customer()
  const jobId = await addJob(gateway.db, accountId, 1)
  const own = await gateway.startReplica({}, log)
  t.teardown(() => own.stop())
  await own.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = own.server.server.address() as { port: number }
  const { registry } = own.context.metrics
  const statusesOf = async (route: string) => {
    const lines = (await registry.getSingleMetricAsString('farm_http_request_seconds')).split('\n')
    const counts = lines.filter((line) => line.includes(`_count{`) && line.includes(`"${route}"`))
    return counts.map((line) => [/status="(\w+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))])
  }
  const socket = connect(port, '127.0.0.1')
  const head = `host: a\r\nx-api-key: ${key}\r\nx-request-id: hung-up\r\n\r\n`
  socket.write(`GET /api/jobs/${jobId}/events HTTP/1.1\r\n${head}`)
  await once(socket, 'data')
  socket.destroy()
  const [line, ...more] = await linesOf('hung-up')
  t.like(line, { route: '/api/jobs/:id/events', account: accountId, aborted: true })
  t.deepEqual(more, [])
  t.deepEqual(await statusesOf('/api/jobs/:id/events'), [['aborted', 1]])
  const headers = { 'x-api-key': key, 'x-request-id': 'waited' }
  await fetch(`http://127.0.0.1:${port}/api/jobs`, { headers }).then((reply) => reply.text())
  t.is((await linesOf('waited'))[0]?.aborted, undefined)
  t.deepEqual(await statusesOf('/api/jobs'), [['200', 1]])
})

test('the root describes the service and its docs, as JSON and HTML', async (t) => {
  const ask = async (accept?: string) =>
    await gateway.server.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html;q=0.5',
  ]) {
    const reply = await ask(accept)
    t.regex(String(reply.headers['content-type']), /^application\/json/)
    t.like(reply.json(), { name: 'Render farm', docs: 'https://farm.example.com/docs' })
  }
  for (const accept of [
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  ]) {
    const reply = await ask(accept)
    t.regex(String(reply.headers['content-type']), /^text\/html/)
    t.true(reply.body.includes(`href="https://farm.example.com/docs"`))
    t.is(reply.headers.vary, 'Accept')
  }
})

test('the figures of the process are not at the public address', async (t) => {
  const { key } = await gateway.customer()
  const reply = await gateway.server.inject({ url: '/metrics', headers: { 'x-api-key': key } })
  t.is(reply.statusCode, 404)
})

test('proxies that are trusted must be addresses or ranges, and never everybody', (t) => {
  const env = {
    ...{ DATABASE_URL: 'postgres://a', TEMPORAL_ADDRESS: 'a:1', FARM_OBJECTS: 'file:/tmp' },
    ...{ FARM_SECRET: 'a secret of the tests', FARM_PUBLIC_URL: 'http://a' },
  }
  const read = (list: string) => readConfig({ ...env, FARM_TRUSTED_PROXIES: list }).trustedProxies
  t.deepEqual(read('10.0.0.1, 192.168.0.0/16,fd00::/8'), ['10.0.0.1', '192.168.0.0/16', 'fd00::/8'])
  for (const list of [
    'proxy',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.1/8/8',
    '10.0.0.1/x',
    '*',
  ]) {
    t.throws(() => read(list), { message: /^FARM_TRUSTED_PROXIES must be a comma-separated list/ })
  }
})
