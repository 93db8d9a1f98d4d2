import { createServer } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import test from 'ava'
import { createDocumentFetch } from '../../../api/oauth/client-documents.ts'
import { runExchange } from '../../../api/oauth/exchange.ts'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { createSignInServer } from '../../../api/oauth/sign-in-server.ts'
import { createLog } from '../../../runtime/log.ts'
import { fetchDocument } from '../../../runtime/outbound/fetch-document.ts'
import { startGateway } from '../gateway.ts'
import { mcpUrl, pkce } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const publicUrl = 'https://farm.example.com'

/** As Claude Code publishes it: web by default, and a loopback address without its port. */
const claudeCode = (id: string) => ({
  client_id: id,
  client_name: 'Claude Code',
  client_uri: 'https://claude.ai',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

/** A farm whose look-ups answer `addresses` and whose dials are counted. */
function farmThat({ addresses, dialled = [] }: { addresses: string[]; dialled?: string[] }) {
  return createSignInServer({
    oauth: readOAuthSettings({}, publicUrl),
    ...{ publicUrl, secret: 'a secret for the test', db: gateway.db, sealKeys: [] },
    ...{ log: createLog('test', 'silent'), trustedHosts: [] },
    reach: {
      resolve: async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      dial(options) {
        dialled.push(String(options.host))
        return net.connect({ ...options, host: '127.0.0.1', port: 1 })
      },
    },
  })
}

async function authorize(server: ReturnType<typeof farmThat>, clientId: string) {
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: 'http://localhost:54213/callback' },
    ...{ response_type: 'code', scope: 'service:mcp', resource: mcpUrl },
    ...{ code_challenge: pkce().challenge, code_challenge_method: 'S256' },
  })
  const began = performance.now()
  const url = `/oauth/authorize?${query}`
  const { answer, exchange } = await server.answer({ method: 'GET', url }, { from: '203.0.113.1' })
  return { answer, fault: exchange.documentFault, ms: performance.now() - began }
}

test('a document at a private address is never dialled', async (t) => {
  const dialled: string[] = []
  const ids = [
    'https://127.0.0.1/client.json',
    'https://169.254.169.254/client.json',
    'https://[::1]/client.json',
    'https://10.0.0.1/client.json',
    'https://localhost/client.json',
    'https://metadata.internal/client.json',
    'https://app.example.com:8443/client.json',
  ]
  for (const id of ids) {
    const { answer, fault, ms } = await authorize(farmThat({ addresses: ['8.8.8.8'], dialled }), id)
    t.is(answer.statusCode, 400, id)
    t.is(answer.headers.location, undefined)
    t.truthy(fault, id)
    t.true(ms < 3000)
  }
  for (const address of ['127.0.0.1', '169.254.169.254', '::1', '10.1.2.3']) {
    const farm = farmThat({ addresses: ['93.184.216.34', address], dialled })
    const { answer, fault } = await authorize(farm, 'https://app.example.com/client.json')
    t.is(answer.statusCode, 400)
    t.regex(String(fault), /public addresses only/)
  }
  t.deepEqual(dialled, [])
})

test('a name that leads elsewhere once it is dialled is refused', async (t) => {
  const inner = createServer((_request, reply) => reply.end('{}'))
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  const { port } = inner.address() as AddressInfo
  let requests = 0
  inner.on('request', () => {
    requests += 1
  })
  const farm = createSignInServer({
    oauth: readOAuthSettings({}, publicUrl),
    ...{ publicUrl, secret: 'a secret for the test', db: gateway.db, sealKeys: [] },
    ...{ log: createLog('test', 'silent'), trustedHosts: [] },
    reach: {
      resolve: async () => [{ address: '93.184.216.34', family: 4 }],
      dial: () => net.connect({ host: '127.0.0.1', port }),
    },
  })
  const { answer, fault } = await authorize(farm, 'https://app.example.com/client.json')
  t.is(answer.statusCode, 400)
  t.regex(String(fault), /public addresses only/)
  t.is(requests, 0)
  inner.close()
})

/** Answers as a stranger's server, under a host that the farm trusts in this test. */
async function documentServer(
  reply: (id: string) => { status?: number; headers?: object; body: unknown; slow?: boolean },
) {
  const server = createServer((request, response) => {
    const id = `https://${request.headers.host}${request.url}`
    const { status = 200, headers = {}, body, slow = false } = reply(id)
    if (slow) return
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

test('documents outside the rules are refused in time, each with its reason', async (t) => {
  const cases = {
    '/redirect': {
      answer: { status: 302, headers: { location: 'https://127.0.0.1/' }, body: '' },
      fault: /status 200. Got 302/,
    },
    '/big': { answer: { body: 'x'.repeat(6_000) }, fault: /at most 5120 bytes/ },
    '/slow': { answer: { body: '', slow: true }, fault: /within 2.5 s/ },
    '/text': { answer: { body: 'hello' }, fault: /must be JSON/ },
    '/script': { answer: { body: { redirect_uris: ['javascript:alert(1)'] } }, fault: /scheme/ },
    '/secret': {
      answer: {
        body: {
          redirect_uris: ['https://a.example.com/'],
          token_endpoint_auth_method: 'client_secret_post',
        },
      },
      fault: /must be none/,
    },
  }
  const { server, port } = await documentServer((id) => {
    const path = new URL(id).pathname as keyof typeof cases
    return cases[path]?.answer ?? { body: claudeCode(id) }
  })
  const reach = { trustedHosts: [`127.0.0.1:${port}`] }
  const get = createDocumentFetch(reach)
  for (const [path, { fault }] of Object.entries(cases)) {
    const exchange = {
      db: gateway.db,
      from: 'test',
      endReason: '',
      isReplay: false,
      documentFault: '',
    }
    const began = performance.now()
    const url = `http://127.0.0.1:${port}${path}`
    const error = await runExchange(exchange, () => t.throwsAsync(get(url)))
    t.regex(String(error?.message), fault)
    t.is(exchange.documentFault, error?.message)
    t.true(performance.now() - began < 3000)
  }
  const good = await (await get(`http://127.0.0.1:${port}/good`)).json()
  t.like(good, { application_type: 'native', scope: 'service:mcp', client_name: 'Claude Code' })
  const options = { ...reach, timeoutMs: 1000, maxBytes: 10_000 }
  t.is((await fetchDocument(`http://127.0.0.1:${port}/good`, options)).status, 200)
  server.closeAllConnections()
  server.close()
})

test('a client with a document needs no registration; the document is cached', async (t) => {
  let fetched = 0
  const id = 'https://claude.ai/oauth/claude-code-client-metadata'
  const farm = createSignInServer({
    oauth: readOAuthSettings({}, publicUrl),
    ...{ publicUrl, secret: 'a secret for the test', db: gateway.db, sealKeys: [] },
    ...{ log: createLog('test', 'silent'), trustedHosts: [] },
    reach: {
      async fetch(url) {
        fetched += 1
        const other = url.endsWith('other') ? { client_id: id } : {}
        const body = Buffer.from(JSON.stringify({ ...claudeCode(url), ...other }))
        return { status: 200, headers: {}, body }
      },
    },
  })
  for (let i = 0; i < 3; i += 1) {
    const { answer } = await authorize(farm, id)
    t.is(answer.statusCode, 303, answer.body.toString())
    t.regex(String(answer.headers.location), /\/interactions\//)
  }
  t.is(fetched, 1)
  const { answer } = await authorize(farm, 'https://claude.ai/other')
  t.is(answer.statusCode, 400)
  t.regex(answer.body.toString(), /client_id does not match/)
})

test('a document counts while its server is away, but not once gone', async (t) => {
  const url = 'https://claude.ai/client.json'
  let answer: () => Promise<{ status: number; body: Buffer }> = async () => ({
    status: 200,
    body: Buffer.from(JSON.stringify(claudeCode(url))),
  })
  const get = createDocumentFetch({
    trustedHosts: [],
    fetch: async () => ({ headers: {}, ...(await answer()) }),
  })
  const nameOf = async () =>
    ((await (await get(url)).json()) as { client_name: string }).client_name
  t.is(await nameOf(), 'Claude Code')
  answer = async () => {
    throw new Error('no connection')
  }
  t.is(await nameOf(), 'Claude Code')
  answer = async () => ({ status: 503, body: Buffer.from('') })
  t.is(await nameOf(), 'Claude Code')
  answer = async () => ({ status: 404, body: Buffer.from('') })
  await t.throwsAsync(get(url), { message: /Got 404/ })
  answer = async () => ({ status: 503, body: Buffer.from('') })
  await t.throwsAsync(get(url), { message: /Got 503/ })
})
