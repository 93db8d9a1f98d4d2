import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import net from 'node:net'
import test from 'ava'
import { type PostWebhookOptions, postWebhook } from '../../../runtime/outbound/post-webhook.ts'

const publicAddress = '93.184.215.14'
const received: { url: string; headers: IncomingMessage['headers']; body: string }[] = []
/** Bytes that the connection of `/large` took before it was closed. */
let largeBytes = 0

const serve: RequestListener = async (request, response) => {
  const url = request.url ?? ''
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ url, headers: request.headers, body })
  const [, status] = /^\/status\/(\d+)/.exec(url) ?? []
  if (status) return response.writeHead(Number(status), { location: 'http://127.0.0.1/' }).end('x')
  switch (url) {
    case '/silent':
      return
    case '/headers-only':
      return response.writeHead(200).flushHeaders()
    case '/drip': {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 20)
      return response.on('close', () => clearInterval(timer))
    }
    case '/large': {
      response.writeHead(200)
      const { socket } = response
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      }
      socket?.once('close', () => {
        largeBytes = socket.bytesWritten
      })
      response.on('drain', write)
      return write()
    }
    case '/cut':
      response.writeHead(200, { 'content-length': 100 }).write('a')
      return setTimeout(() => response.destroy(), 20)
    case '/reset':
      return response.socket?.resetAndDestroy()
    case '/vast-head':
      return response.writeHead(200, { vast: 'x'.repeat(100_000) }).end()
    default:
      return response.end('ok')
  }
}

let server: Server
let port = 0

test.before(async () => {
  server = createServer(serve)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as net.AddressInfo).port
})
test.after.always(() => {
  server.closeAllConnections()
  server.close()
})

type World = Partial<PostWebhookOptions> & {
  dns?: Record<string, string[] | (() => string[])>
  peer?: string
}

/** Posts with fake DNS; every dial is counted and lands on the test's own server. */
async function postIn(url: string, { dns = {}, peer = publicAddress, ...given }: World = {}) {
  const dials: string[] = []
  const lookups: string[] = []
  const answer = await postWebhook({
    ...{ url, headers: { 'X-Service-Event': 'render.completed' }, body: '{"é":1}' },
    ...{ timeoutMs: 60_000, trustedHosts: [] },
    async resolve(host) {
      lookups.push(host)
      const known = dns[host] ?? [publicAddress]
      const addresses = typeof known === 'function' ? known() : known
      if (addresses.length === 0) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return addresses.map((address) => ({ address, family: net.isIP(address) }))
    },
    dial(options) {
      dials.push(dialled(options))
      const socket = net.connect({ host: '127.0.0.1', port })
      Object.defineProperty(socket, 'remoteAddress', { value: peer })
      return socket
    },
    ...given,
  })
  return { answer, dials, lookups }
}

function dialled(options: net.TcpNetConnectOpts): string {
  if (net.isIP(options.host ?? '')) return options.host ?? ''
  let found = ''
  options.lookup?.(options.host ?? '', {}, (_error, address) => {
    found = String(address)
  })
  return found
}

/** Posts to the test's own server, as a trusted host. */
async function postTo(path: string, given: Partial<PostWebhookOptions> = {}) {
  return await postWebhook({
    ...{ url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '{}' },
    ...{ timeoutMs: 60_000, trustedHosts: [`127.0.0.1:${port}`], ...given },
  })
}

// Serial, because it leaves the event loop no time for others.
test.serial('one look-up a dial: a name turning private fools none of 1,000', async (t) => {
  let asked = 0
  const rebinding = () => (asked++ % 2 === 0 ? [publicAddress] : ['127.0.0.1'])
  const dialledAt = new Set<string>()
  for (let i = 0; i < 1_000; i += 1) {
    const refuse = () => new net.Socket().destroy(new Error('counted'))
    const { dials, lookups } = await postIn('https://rebind.example.com/x', {
      dns: { 'rebind.example.com': rebinding },
      dial: (options) => {
        dialledAt.add(dialled(options))
        return refuse()
      },
    })
    t.is(lookups.length, 1)
    t.deepEqual(dials, [])
  }
  t.deepEqual([...dialledAt], [publicAddress])
})

test('the headers and the very bytes arrive', async (t) => {
  const body = '{"text":"é😀"}'
  const answer = await postTo('/ok', { body, headers: { 'X-Service-Event': 'render.completed' } })
  t.like(answer, { responseCode: 200, error: null })
  t.true(Number.isInteger(answer.durationMs))
  const request = received.find(({ url }) => url === '/ok')
  t.is(request?.body, body)
  t.is(request?.headers['x-service-event'], 'render.completed')
  t.is(request?.headers['content-length'], String(Buffer.byteLength(body)))
})

test('2xx is success; anything else and every redirect is a failed attempt', async (t) => {
  for (const status of [200, 201, 202, 204, 299]) {
    const taken = { responseCode: status, error: null, failure: undefined }
    t.like(await postTo(`/status/${status}`), taken)
  }
  for (const status of [300, 301, 302, 303, 307, 308, 400, 404, 410, 429, 500, 503]) {
    const { responseCode, error, failure } = await postTo(`/status/${status}`)
    t.is(responseCode, status)
    t.is(failure, 'answer_refused')
    t.regex(error ?? '', new RegExp(`2xx status. Got ${status}`))
  }
  t.true(received.every(({ url }) => url !== '/'))
})

test('the time-out covers silent servers, endless bodies, look-ups and connections', async (t) => {
  const timeoutMs = 300
  for (const path of ['/silent', '/headers-only', '/drip']) {
    const { error, durationMs } = await postTo(path, { timeoutMs })
    t.regex(error ?? '', /within 0\.3 s/, path)
    t.true(durationMs >= timeoutMs - 5, `${path}: ${durationMs}`)
  }
  const hanging: World[] = [
    { resolve: () => new Promise(() => undefined) },
    { dial: () => new net.Socket() },
  ]
  for (const world of hanging) {
    const { answer } = await postIn('https://hooks.example.com/', { timeoutMs, ...world })
    t.like(answer, { responseCode: null, failure: 'timeout' })
    t.regex(answer.error ?? '', /within 0\.3 s/)
  }
})

test('a TLS handshake that never ends is over in time', async (t) => {
  const mute = net.createServer(() => undefined)
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done))
  t.teardown(() => mute.close())
  const host = `127.0.0.1:${(mute.address() as net.AddressInfo).port}`
  const given = { url: `https://${host}/`, trustedHosts: [host], timeoutMs: 300 }
  t.regex((await postTo('', given)).error ?? '', /within 0\.3 s/)
})

test('an answer is read to 64 KB, and taken by its status', async (t) => {
  t.like(await postTo('/large'), { responseCode: 200, error: null })
  while (largeBytes === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  // Buffers of the kernel and the stream count as sent, though never read.
  t.true(largeBytes < 20_000_000, `${largeBytes} bytes`)
})

test('a broken exchange is a failed attempt that says how', async (t) => {
  t.like(await postTo('/cut'), { responseCode: 200 })
  t.regex((await postTo('/cut')).error ?? '', /must be reachable/)
  t.regex((await postTo('/reset')).error ?? '', /Got (UND_ERR_SOCKET|ECONNRESET)/)
  t.regex((await postTo('/vast-head')).error ?? '', /Got UND_ERR_HEADERS_OVERFLOW|HPE_/)
  const gone = await postIn('https://gone.example.com/', { dns: { 'gone.example.com': [] } })
  t.is(gone.answer.failure, 'name_unknown')
  t.is((await postTo('/cut')).failure, 'unreachable')
  t.regex(gone.answer.error ?? '', /DNS entry. Got none for gone\.example\.com/)
  const plain = await postTo('', {
    url: `https://127.0.0.1:${port}/`,
    trustedHosts: [`127.0.0.1:${port}`],
  })
  t.regex(plain.error ?? '', /Got (EPROTO|ERR_SSL)/)
})

type Row = readonly [url: string, context: string, expected: string, reason: string]
const rows = readFileSync(new URL('../../core/project/hostile-urls.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t') as unknown as Row)
  .filter(([, context]) => context === 'webhook')

/** Reads `[dns:A=1.2.3.4]` as the look-up's answers, call by call. */
function answersOf(reason: string): (() => string[]) | undefined {
  const [, given] = /\[dns:([^\]]*)\]/.exec(reason) ?? []
  if (given === undefined) return undefined
  const turns = given.split(' then ').map((turn) => turn.match(/[0-9a-f]*[.:][0-9a-f.:]+/gi) ?? [])
  let asked = 0
  return () => turns[Math.min(asked++, turns.length - 1)] ?? []
}

test('all case-table webhook rows dial nothing private and send nothing refused', async (t) => {
  t.true(rows.length > 60)
  for (const [text, , expected, reason] of rows) {
    const url: string = JSON.parse(`"${text}"`)
    const dns = answersOf(reason)
    const host = URL.parse(url)?.hostname ?? ''
    const { answer, dials, lookups } = await postIn(url, {
      ...(dns && { dns: { [host]: dns } }),
    })
    if (expected === 'reject') {
      t.not(answer.error, null, text)
      t.deepEqual(dials, [], `${text} (${reason})`)
      if (!dns) t.deepEqual(lookups, [], text)
    } else {
      // It reached the test's own server, which speaks no TLS.
      t.is(dials.length, 1, `${text}: ${answer.error}`)
    }
  }
})

test('hosts that answer anything private are not dialled, whatever else they answer', async (t) => {
  const answers = [
    ['127.0.0.1'],
    ['0.0.0.0'],
    ['169.254.169.254'],
    ['168.63.129.16'],
    ['100.64.0.1'],
    ['192.0.0.192'],
    ['198.18.0.1'],
    ['255.255.255.255'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['::ffff:0:10.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['64:ff9b:1::a9fe:a9fe'],
    ['2002:a9fe:a9fe::1'],
    ['2001:0:a9fe:a9fe::1'],
    ['2001:4860::5efe:a9fe:a9fe'],
    ['fd00:ec2::254'],
    ['fec0::1'],
    ['4000::1'],
    ['fe80::1%eth0'],
    [publicAddress, '10.0.0.1'],
    ['2606:4700:4700::1111', '::1'],
  ]
  for (const answer of answers) {
    const world = { dns: { 'evil.example.com': answer } }
    const { answer: told, dials } = await postIn('https://evil.example.com/x', world)
    t.regex(told.error ?? '', /public addresses only/, answer.join())
    t.deepEqual(dials, [], answer.join())
  }
})

test('a connection ending at a private peer is cut before sending anything', async (t) => {
  const before = received.length
  const { answer } = await postIn('https://hooks.example.com/x', { peer: '10.0.0.1' })
  t.regex(answer.error ?? '', /public addresses only/)
  t.is(received.length, before)
})

test('a trusted host is reached, and only at its port', async (t) => {
  t.is((await postTo('/ok')).error, null)
  const { dials, answer } = await postIn(`http://127.0.0.1:${port + 1}/ok`, {
    trustedHosts: [`127.0.0.1:${port}`],
  })
  t.regex(answer.error ?? '', /^The URL must be/)
  t.deepEqual(dials, [])
})

test('the guard looks up international hosts in punycode, like the URL rule', async (t) => {
  const { lookups, dials } = await postIn('https://MÜNCHEN.example:/hook', {
    dns: { 'xn--mnchen-3ya.example': ['127.0.0.1'] },
  })
  t.deepEqual(lookups, ['xn--mnchen-3ya.example'])
  t.deepEqual(dials, [])
})
