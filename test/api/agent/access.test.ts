import { request } from 'node:http'
import test from 'ava'
import { type Gateway, startGateway } from '../gateway.ts'
import { listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const usual = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
}

/** Sends a request with any Host, which fetch does not let one set. */
function send(
  headers: Record<string, string>,
  {
    path = '/mcp',
    method = 'POST',
    body: sentBody = JSON.stringify(list),
  }: { path?: string; method?: string; body?: string } = {},
): Promise<{ status: number; body: string; challenge: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: url.port, path, method, headers: { ...usual, ...headers } },
      (reply) => {
        let body = ''
        reply.on('data', (chunk) => {
          body += chunk
        })
        reply.on('end', () => {
          const challenge = reply.headers['www-authenticate']
          resolve({ status: reply.statusCode ?? 0, body, challenge })
        })
      },
    )
    sent.on('error', reject)
    sent.end(method === 'POST' ? sentBody : undefined)
  })
}

test('a missing or invalid credential is challenged with how to sign in', async (t) => {
  const { key } = await gateway.customer()
  const signIn =
    'Bearer resource_metadata="https://farm.example.com/.well-known/oauth-protected-resource/mcp", scope="service:mcp"'
  const refused = (why: string) => `${signIn}, error="invalid_token", error_description="${why}"`
  const next = 'Sign in as the header WWW-Authenticate says'
  for (const [headers, challenge] of [
    [{}, signIn],
    [{ 'x-api-key': 'svc_1' }, signIn],
    [
      { authorization: 'Bearer abc' },
      refused(
        'The token has expired or its connection has ended. Refresh it; if that is refused, ask the person to connect again',
      ),
    ],
    [
      { authorization: `Bearer ${key}` },
      refused(
        'An API key belongs into the header X-Api-Key. Got one as Authorization: Bearer. Send it in that header',
      ),
    ],
    [
      { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' },
      refused(
        `The token must be an access token. Got one of the dashboard, which is not taken here. ${next}`,
      ),
    ],
    [
      { authorization: 'Basic abc' },
      refused(`The scheme of the header Authorization must be Bearer. Got another. ${next}`),
    ],
    [
      { authorization: 'Bearer ' },
      refused(`A token must follow Bearer in the header Authorization. Got none. ${next}`),
    ],
  ] as const) {
    const reply = await send(headers)
    t.is(reply.status, 401, JSON.stringify(headers))
    t.is(reply.challenge, challenge)
    t.false(reply.body.includes(key))
  }
  t.is((await send({ 'x-api-key': key })).status, 200)
})

test('a strange Host or Origin is refused; programs without Origin are served', async (t) => {
  const { key } = await gateway.customer()
  const known = { 'x-api-key': key }
  for (const [headers, status] of [
    [{ host: 'farm.example.com' }, 200],
    [{ host: 'FARM.example.com' }, 200],
    [{ host: `127.0.0.1:${url.port}` }, 200],
    [{ host: `localhost:${url.port}` }, 200],
    [{ host: 'evil.example' }, 403],
    [{ host: 'farm.example.com.evil.example' }, 403],
    [{ host: 'farm.example.com:1234' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ origin: 'https://farm.example.com' }, 200],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://farm.example.com' }, 403],
    [{ origin: 'http://localhost:6274' }, 200],
    [{ host: 'farm.example.com', origin: 'http://localhost:6274' }, 403],
  ] as const) {
    const reply = await send({ ...known, ...headers })
    t.is(reply.status, status, `${JSON.stringify(headers)} ${reply.body.slice(0, 200)}`)
  }
})

test('nothing is taken from the query but the profile', async (t) => {
  const { key } = await gateway.customer()
  for (const query of ['access_token=abc', `api_key=${key}`, `x-api-key=${key}`, 'any=1']) {
    for (const headers of [{ 'x-api-key': key }, {}, { authorization: 'Bearer abc' }]) {
      const reply = await send(headers as Record<string, string>, { path: `/mcp?${query}` })
      t.is(reply.status, 400, query)
      const { error, id } = JSON.parse(reply.body)
      t.is(id, null)
      t.regex(error.message, /Got "[\w-]+"\. Send tokens as Authorization: Bearer, and API keys/)
      t.false(reply.body.includes(key))
    }
  }
  t.is((await send({ 'x-api-key': key }, { path: '/mcp?profile=root' })).status, 400)
  t.is((await send({ 'x-api-key': key }, { path: '/mcp?profile=readonly' })).status, 200)
})

test('a key in the query without a name is not repeated', async (t) => {
  const { key } = await gateway.customer()
  const token = 'aB-cdEfghIjklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ'
  for (const bare of [key, `${key}=`, `${key}&profile=readonly`, 'svc_abc', token]) {
    const reply = await send({}, { path: `/mcp?${bare}` })
    t.is(reply.status, 400)
    t.regex(JSON.parse(reply.body).error.message, /Got another\. Send tokens as Authorization/)
    t.false(reply.body.includes('svc_') || reply.body.includes(token), reply.body)
  }
})

test('HEAD is refused with the methods that are answered', async (t) => {
  const { key } = await gateway.customer()
  const headers = { 'x-api-key': key }
  const reply = await gateway.server.inject({ method: 'HEAD', url: '/mcp', headers })
  t.is(reply.statusCode, 405)
  t.is(reply.headers.allow, 'GET, POST, DELETE')
})

test('a page of an allowed origin can read how to sign in', async (t) => {
  const headers = { ...usual, origin: 'https://farm.example.com' }
  const reply = await gateway.server.inject({ method: 'POST', url: '/mcp', headers, payload: '{}' })
  t.is(reply.statusCode, 401)
  t.truthy(reply.headers['www-authenticate'])
  t.regex(String(reply.headers['access-control-expose-headers']), /\bWWW-Authenticate\b/)
})

test('the list of tools is kept for a minute, in private', async (t) => {
  const { key } = await gateway.customer()
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({ ...list, params: { _meta } })
  const headers = { 'x-api-key': key, 'mcp-protocol-version': version, 'mcp-method': list.method }
  const { result } = JSON.parse((await send(headers, { body })).body)
  t.like(result, { ttlMs: 60_000, cacheScope: 'private' })
})

test('a strange page is refused before a credential is asked for', async (t) => {
  for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }] as const) {
    const { status, body } = await send(headers as Record<string, string>)
    t.is(status, 403)
    t.like(JSON.parse(body), { jsonrpc: '2.0', id: null, error: { code: -32600 } })
  }
})

test('a body that cannot be read is refused in JSON-RPC', async (t) => {
  const { key } = await gateway.customer()
  const known = { 'x-api-key': key }
  for (const [headers, body, status, code, fault] of [
    [known, '{"jsonrpc":', 400, -32700, /^invalid_request: The body must be JSON\. Got its end/],
    [known, ' '.repeat(2_000_001), 413, -32600, /^body_too_large: The body must have at most/],
    [{ ...known, 'content-type': 'text/plain' }, '{}', 415, -32600, /^unsupported_media_type/],
  ] as const) {
    const reply = await send(headers, { body })
    t.is(reply.status, status)
    const { jsonrpc, id, error } = JSON.parse(reply.body)
    t.deepEqual([jsonrpc, id, error.code], ['2.0', null, code])
    t.regex(error.message, fault)
    t.is(error.data.status, status)
  }
})

test('GET and DELETE are not allowed: there are no sessions', async (t) => {
  const { key } = await gateway.customer()
  for (const method of ['GET', 'DELETE']) {
    t.is((await send({ 'x-api-key': key }, { method })).status, 405, method)
  }
})

test('an account never reaches another’s renders, drafts and quotes by its tools', async (t) => {
  const [own, other] = [await gateway.customer(), await gateway.customer()]
  const payload = { duration: 1, visuals: [{ type: 'TEXT', html: 'a' }] }
  const { id: draft } = (await own.post('/api/projects', { name: 'a', payload })).json()
  const { id: quote } = (await own.post('/api/quotes', { project: draft })).json()
  const { connect } = await import('./host.ts')
  const { call } = await connect(url, { headers: { 'x-api-key': other.key } })
  for (const [name, args] of [
    ['check_project', { draft }],
    ['quote_render', { draft }],
    ['edit_draft', { draft, restore: 1 }],
    ['render', { quote }],
  ] as const) {
    const { text, isError } = await call(name, args)
    t.true(isError, name)
    t.regex(text, /^not_found/)
  }
})
