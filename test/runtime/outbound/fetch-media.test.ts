import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { type Fetched, fetchMedia, type Validators } from '../../../runtime/outbound/fetch-media.ts'

const publicAddress = '93.184.215.14'
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
const bytes = Buffer.alloc(100_000, 'picture')
const monday = 'Mon, 16 Nov 2026 08:00:00 GMT'
const hops = (url: string) => Number(new URL(url, 'http://x').searchParams.get('n'))

const serve: RequestListener = (request, response) => {
  const url = request.url ?? ''
  const redirect = (location: string) => response.writeHead(302, { location }).end()
  if (url.startsWith('/to?'))
    return redirect(new URL(url, 'http://x').searchParams.get('url') ?? '')
  if (url.startsWith('/hops'))
    return hops(url) > 0 ? redirect(`/hops?n=${hops(url) - 1}`) : response.end(bytes)
  const [, status] = /^\/status\/(\d+)/.exec(url) ?? []
  if (status !== undefined)
    return response.writeHead(Number(status), { 'retry-after': '2' }).end('no')
  switch (url) {
    case '/version-2': {
      const { 'if-none-match': etag, 'if-modified-since': since } = request.headers
      const headers = { etag: '"2"', 'last-modified': monday, 'cache-control': 'max-age=60' }
      const isSame = etag === undefined ? since === monday : etag === '"2"'
      return response.writeHead(isSame ? 304 : 200, headers).end(isSame ? undefined : bytes)
    }
    case '/strange-version':
      return response.writeHead(200, { etag: 'x'.repeat(300), age: 'old' }).end(bytes)
    case '/304':
      return response.writeHead(304).end()
    case '/refresh':
      return response.writeHead(200, { refresh: '0; url=http://127.0.0.1/' }).end('page')
    case '/404':
      return response.writeHead(404).end('no')
    case '/slow':
      return response.write('a')
    case '/broken':
      response.writeHead(200, { 'content-length': 1000 }).write('a')
      return setTimeout(() => response.destroy(), 20)
    case '/endless':
      return pipeline(Readable.from(always()), response).catch(() => undefined)
    case '/hang-up':
      return response
        .writeHead(200, { connection: 'close' })
        .end(Buffer.concat(Array(80).fill(bytes)))
    case '/gzip':
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    default:
      return response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  }
}

function* always() {
  for (;;) yield bytes
}

let server: Server
let port = 0

test.before(async () => {
  server = createServer(serve)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (typeof address === 'object' && address) port = address.port
})
test.after.always(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

type World = {
  dns?: Record<string, string[] | (() => string[])>
  maxBytes?: number
  timeoutMs?: number
  trustedHosts?: string[]
  /** Actual address of the peer. */
  peer?: string
  signal?: AbortSignal
  known?: Validators
}

/** Fetches with fake DNS; every dial is counted and lands on the test's own server. */
async function fetchIn(url: string, world: World = {}) {
  const dials: string[] = []
  const lookups: string[] = []
  const to = join(
    folder,
    createHash('sha256')
      .update(url + Math.random())
      .digest('hex'),
  )
  const outcome = await fetchMedia({
    ...{ url, field: 'visuals[0].src', to },
    maxBytes: world.maxBytes ?? 1_000_000,
    timeoutMs: world.timeoutMs ?? 5_000,
    trustedHosts: world.trustedHosts ?? [],
    ...(world.signal && { signal: world.signal }),
    ...(world.known && { known: world.known }),
    async resolve(host) {
      lookups.push(host)
      const answer = world.dns?.[host] ?? [publicAddress]
      const addresses = typeof answer === 'function' ? answer() : answer
      if (addresses.length === 0) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return addresses.map((address) => ({ address, family: net.isIP(address) }))
    },
    dial(options) {
      dials.push(dialled(options))
      const socket = net.connect({ host: '127.0.0.1', port })
      Object.defineProperty(socket, 'remoteAddress', { value: world.peer ?? publicAddress })
      return socket
    },
  }).catch((error: unknown) => error)
  return { outcome, dials, lookups, to }
}

/** The address that node would dial. */
function dialled(options: net.TcpNetConnectOpts): string {
  if (net.isIP(options.host ?? '')) return options.host ?? ''
  let found = ''
  options.lookup?.(options.host ?? '', {}, (_error, address) => {
    found = String(address)
  })
  return found
}

function codeOf(outcome: unknown): string {
  return outcome instanceof FarmError ? outcome.code : String(outcome)
}

function sizeOf(outcome: unknown): number | undefined {
  return outcome instanceof Error ? undefined : (outcome as Fetched).file?.bytes
}

test('media are written to the file and hashed on the way', async (t) => {
  const { outcome, dials, lookups, to } = await fetchIn('http://cdn.example.com/a.png')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  t.deepEqual(outcome, { freshSeconds: 0, file: { bytes: bytes.length, sha256 } })
  t.true(readFileSync(to).equals(bytes))
  t.deepEqual([dials, lookups], [[publicAddress], ['cdn.example.com']])
})

test('hosts that lead anywhere but to the open internet are never dialled', async (t) => {
  const answers = [
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['168.63.129.16'],
    ['198.18.0.1'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['4000::1'],
    ['fe80::1'],
    [publicAddress, '10.0.0.1'],
  ]
  for (const answer of answers) {
    const dns = { 'evil.example.com': answer }
    const { outcome, dials } = await fetchIn('https://evil.example.com/x', { dns })
    t.is(codeOf(outcome), 'media_refused', answer.join())
    t.deepEqual(dials, [], answer.join())
  }
})

test('the case table’s literal hosts and texts are refused without a look-up', async (t) => {
  const rows = readFileSync(new URL('../../core/project/hostile-urls.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
    .filter(([, context, expected, reason]) => {
      return context === 'media' && expected === 'reject' && !/DNS|fetch-time/.test(reason ?? '')
    })
  t.true(rows.length > 50)
  for (const [text = ''] of rows) {
    const url: string = JSON.parse(`"${text}"`)
    const { outcome, dials, lookups } = await fetchIn(url)
    t.is(codeOf(outcome), 'media_refused', text)
    t.deepEqual([dials, lookups], [[], []], text)
  }
})

test('a name whose second answer differs is looked up once a dial', async (t) => {
  let asked = 0
  const dns = {
    'rebind.example.com': () => {
      asked += 1
      return asked % 2 === 1 ? [publicAddress] : ['127.0.0.1']
    },
  }
  let dialled: string[] = []
  for (let i = 0; i < 100; i += 1) {
    const { dials, lookups } = await fetchIn('http://rebind.example.com/x', { dns })
    t.is(lookups.length, 1)
    dialled = [...dialled, ...dials]
  }
  t.deepEqual([...new Set(dialled)], [publicAddress])
})

test('a connection ending at a private peer is cut before sending anything', async (t) => {
  const { outcome } = await fetchIn('http://cdn.example.com/a.png', { peer: '10.0.0.1' })
  t.is(codeOf(outcome), 'media_refused')
})

test('each redirect is judged like the first address, and three are followed', async (t) => {
  const ok = await fetchIn('http://cdn.example.com/hops?n=3')
  t.is(sizeOf(ok.outcome), bytes.length)
  t.is(codeOf((await fetchIn('http://cdn.example.com/hops?n=4')).outcome), 'media_refused')
  const dns = { 'private.example.com': ['10.0.0.1'] }
  const targets = [
    'https://u:p@example.com/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:127.0.0.1]/',
    'http://private.example.com/',
    'http://cdn.example.com:22/',
    'file:///etc/passwd',
    'gopher://example.com/',
    '//127.0.0.1/',
    'http:\\\\127.0.0.1\\',
  ]
  for (const target of targets) {
    const url = `http://cdn.example.com/to?url=${encodeURIComponent(target)}`
    const { outcome, dials } = await fetchIn(url, { dns })
    t.is(codeOf(outcome), 'media_refused', target)
    t.deepEqual(dials, [publicAddress], target)
  }
})

test('an origin is asked for a version other than the known one', async (t) => {
  const url = 'http://cdn.example.com/version-2'
  const first = (await fetchIn(url)).outcome as Fetched
  t.like(first, { etag: '"2"', lastModified: monday, freshSeconds: 60 })
  t.is(sizeOf(first), bytes.length)
  for (const known of [{ etag: '"2"' }, { lastModified: monday }]) {
    const { outcome, to } = await fetchIn(url, { known })
    t.deepEqual(outcome, { ...first, file: undefined })
    t.false(existsSync(to))
  }
  const changed = await fetchIn(url, { known: { etag: '"1"', lastModified: monday } })
  t.is(sizeOf(changed.outcome), bytes.length)
})

test('an origin’s version headers are used only when well-formed', async (t) => {
  const { outcome } = await fetchIn('http://cdn.example.com/strange-version')
  t.deepEqual(Object.keys(outcome as Fetched), ['freshSeconds', 'file'])
  // The request was not conditional.
  t.is(codeOf((await fetchIn('http://cdn.example.com/304')).outcome), 'media_unreachable')
})

test('a redirecting address is asked again next time, whatever its target says', async (t) => {
  const to = encodeURIComponent('http://cdn.example.com/version-2')
  const { outcome } = await fetchIn(`http://cdn.example.com/to?url=${to}`)
  t.like(outcome, { etag: '"2"', freshSeconds: 0 })
})

test('a server hanging up before the file is written takes down nothing', async (t) => {
  for (let i = 0; i < 20; i += 1) {
    const { outcome } = await fetchIn('http://cdn.example.com/hang-up', {
      maxBytes: 80 * bytes.length,
    })
    t.is(sizeOf(outcome), 80 * bytes.length)
  }
})

test('a refresh header is not followed', async (t) => {
  const { outcome, dials } = await fetchIn('http://redir.example.com/refresh')
  t.is(sizeOf(outcome), 4)
  t.is(dials.length, 1)
})

test('a failed fetch gives the reason and field and leaves no file', async (t) => {
  const cases: [string, World, string, RegExp][] = [
    ['/404', {}, 'media_unreachable', /status 200\. Got 404/],
    ['/slow', { timeoutMs: 200 }, 'media_unreachable', /within 0\.2 s/],
    ['/broken', {}, 'media_unreachable', /reachable/],
    ['/gzip', {}, 'media_unreachable', /content-encoding\. Got gzip/],
    ['/a.png', { dns: { 'cdn.example.com': [] } }, 'media_unreachable', /DNS/],
    ['/a.png', { maxBytes: bytes.length - 1 }, 'media_too_large', /99999 bytes/],
    ['/endless', { maxBytes: 500_000 }, 'media_too_large', /500000 bytes/],
  ]
  for (const [path, world, code, message] of cases) {
    const { outcome, to } = await fetchIn(`http://cdn.example.com${path}`, world)
    t.is(codeOf(outcome), code, path)
    t.regex((outcome as Error).message, message)
    t.is((outcome as FarmError).field, 'visuals[0].src')
    t.false(existsSync(to), path)
  }
})

test('only transient failures may be retried', async (t) => {
  const retryOf = async (path: string, world: World = {}) =>
    ((await fetchIn(`http://cdn.example.com${path}`, world)).outcome as FarmError).retry
  const certain = { triesMax: 1 }
  for (const status of [204, 206, 400, 401, 403, 404, 405, 406, 410, 416, 451]) {
    t.deepEqual(await retryOf(`/status/${status}`), certain, `${status}`)
  }
  for (const status of [408, 425, 429, 500, 502, 503, 504, 520]) {
    t.deepEqual(await retryOf(`/status/${status}`), { afterMs: 2_000 }, `${status}`)
  }
  t.is(await retryOf('/broken'), undefined, 'as its code says: again')
  t.deepEqual(await retryOf('/slow', { timeoutMs: 200 }), { triesMax: 3 })
  t.deepEqual(await retryOf('/gzip'), certain)
  t.deepEqual(await retryOf('/a.png', { dns: { 'cdn.example.com': [] } }), certain)
})

test('a fetch that its caller ends rejects with the caller’s reason', async (t) => {
  const reason = new Error('the lease is lost')
  const { outcome } = await fetchIn('http://cdn.example.com/slow', {
    signal: AbortSignal.abort(reason),
  })
  t.is(outcome, reason)
})

test('a trusted host is dialled whatever its address, and only that one', async (t) => {
  const trustedHosts = [`127.0.0.1:${port}`]
  const world = { trustedHosts, peer: '127.0.0.1' }
  const { outcome } = await fetchIn(`http://127.0.0.1:${port}/a.png`, world)
  t.is(sizeOf(outcome), bytes.length)
  const other = await fetchIn(`http://127.0.0.1:${port + 1}/a.png`, world)
  t.is(codeOf(other.outcome), 'media_refused')
  const away = await fetchIn(`http://127.0.0.1:${port}/to?url=http://127.0.0.1/`, world)
  t.is(codeOf(away.outcome), 'media_refused')
})
