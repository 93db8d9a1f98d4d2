import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway
let folder: string

const page = '<!doctype html><title>Dashboard</title>'
const script = 'export const answer = 42\n'.repeat(100)
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

async function build(into: string): Promise<void> {
  await mkdir(join(into, 'assets'), { recursive: true })
  await writeFile(join(into, 'index.html'), page)
  await writeFile(join(into, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(into, 'assets', 'app-1a2b.js'), script)
  await writeFile(join(into, 'assets', 'app-1a2b.js.gz'), gzipSync(script))
}

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  await build(folder)
  gateway = await startGateway({ dashboardFolder: folder })
})
test.after.always(async () => {
  await gateway?.stop()
  await rm(folder, { recursive: true, force: true })
})

const get = async (url: string, headers: Record<string, string> = {}) =>
  await gateway.server.inject({ method: 'GET', url, headers })

test('a browser gets the page at every address of a person', async (t) => {
  for (const url of ['/', '/jobs', '/jobs/4?tab=files', '/editor/', '/signs.in']) {
    const reply = await get(url, browser)
    t.is(reply.statusCode, 200, url)
    t.is(reply.body, page, url)
    t.regex(String(reply.headers['content-type']), /^text\/html/)
    t.is(reply.headers['cache-control'], 'no-cache')
  }
  const head = await gateway.server.inject({ method: 'HEAD', url: '/jobs', headers: browser })
  t.is(head.statusCode, 200)
  t.is(head.body, '')
})

test('programs get JSON at / and a problem at unknown addresses', async (t) => {
  t.is((await get('/')).json().name, 'Render farm')
  const reply = await get('/jobs', { accept: '*/*' })
  t.is(reply.statusCode, 404)
  t.is(reply.json().code, 'not_found')
  const posted = await gateway.server.inject({ method: 'POST', url: '/jobs', headers: browser })
  t.is(posted.json().code, 'not_found')
})

test('addresses of the service keep their problems in a browser', async (t) => {
  const unknown = ['api', 'objects', 'docs', 'play', 'watch', 'oauth', 'mcp', 'assets']
  for (const name of unknown) {
    const reply = await get(`/${name}/no/such/thing`, browser)
    t.true(reply.statusCode >= 400, name)
    t.false(reply.body.includes('Dashboard'), name)
  }
  t.is((await get('/api/render', browser)).statusCode, 405)
})

test('the operators’ pages are only where their API is', async (t) => {
  for (const url of ['/farm', '/farm/', '/farm/nodes']) {
    t.is((await get(url, browser)).statusCode, 404, url)
  }
  t.is((await get('/farmers', browser)).statusCode, 200)
  const replica = await gateway.startReplica({ operatorApi: 'on' })
  const reply = await replica.server.inject({ url: '/farm/nodes', headers: browser })
  t.is(reply.body, page)
  await replica.stop()
})

test('assets are kept for good, and come compressed as they were built', async (t) => {
  const zipped = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip' })
  t.is(zipped.headers['content-encoding'], 'gzip')
  t.is(gunzipSync(zipped.rawPayload).toString(), script)
  const plain = await get('/assets/app-1a2b.js')
  t.is(plain.body, script)
  for (const { headers } of [zipped, plain]) {
    t.is(headers['cache-control'], 'public, max-age=31536000, immutable')
    t.regex(String(headers['content-type']), /javascript/)
    t.regex(String(headers.vary), /accept-encoding/i)
  }
})

test('a missing asset is not kept, and no path leads out', async (t) => {
  for (const url of [
    '/assets/gone.js',
    '/assets/..%2findex.html',
    '/assets/..%2f..%2fetc%2fpasswd',
  ]) {
    const reply = await get(url)
    t.true([400, 403, 404].includes(reply.statusCode), `${url}: ${reply.statusCode}`)
    t.is(reply.headers['cache-control'], undefined, url)
    t.regex(String(reply.headers['content-type']), /problem\+json/, url)
  }
})

test('a loose file of the build is served, and asked for again', async (t) => {
  const reply = await get('/icon.svg')
  t.is(reply.statusCode, 200)
  t.regex(String(reply.headers['content-type']), /svg/)
  t.is(reply.headers['cache-control'], 'no-cache')
  const again = await get('/icon.svg', { 'if-none-match': String(reply.headers.etag) })
  t.is(again.statusCode, 304)
})

const policyFor = (objects: string) =>
  [
    ["default-src 'none'", "script-src 'self'", "style-src 'self'"],
    [`img-src 'self' data:${objects}`, `media-src 'self' blob:${objects}`],
    [`connect-src 'self'${objects}`, "font-src 'self'", "worker-src 'self'", "frame-src 'self'"],
    ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ["require-trusted-types-for 'script'", 'trusted-types dashboard'],
  ]
    .flat()
    .join(';')

test('page and assets come with the strict policy of the dashboard', async (t) => {
  for (const url of ['/', '/jobs', '/assets/app-1a2b.js']) {
    const { headers } = await get(url, browser)
    t.is(headers['content-security-policy'], policyFor(''), url)
    t.is(headers['cross-origin-opener-policy'], 'same-origin')
    t.is(headers['x-content-type-options'], 'nosniff')
    t.is(headers['x-frame-options'], 'DENY')
    t.regex(String(headers['permissions-policy']), /camera=\(\)/)
  }
})

test('a bucket’s address is in the policy, the customers’ before the nodes’', async (t) => {
  const objects = new URL('s3://KEY:SECRET@127.0.0.1:9000/farm?ssl=0')
  const at = async (objectsPublicUrl?: string) => {
    const { server, stop } = await gateway.startReplica({ objects, objectsPublicUrl })
    const { headers } = await server.inject({ method: 'GET', url: '/', headers: browser })
    await stop()
    return headers['content-security-policy']
  }
  t.is(await at(), policyFor(' http://127.0.0.1:9000'))
  t.is(await at('https://files.example.com'), policyFor(' https://files.example.com'))
})

test('without a build / says how to make one, later finds it', async (t) => {
  const later = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const { server, stop } = await gateway.startReplica({ dashboardFolder: join(later, 'dashboard') })
  t.teardown(async () => {
    await stop()
    await rm(later, { recursive: true, force: true })
  })
  const ask = async (url: string) => await server.inject({ method: 'GET', url, headers: browser })
  t.regex((await ask('/')).body, /npm run dashboard:build/)
  t.is((await ask('/jobs')).statusCode, 404)
  await build(join(later, 'dashboard'))
  t.is((await ask('/')).body, page)
  t.is((await ask('/jobs')).body, page)
})
