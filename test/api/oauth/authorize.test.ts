import test from 'ava'
import { startGateway } from '../gateway.ts'
import { mcpUrl, pkce, register, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())
let host: Awaited<ReturnType<typeof startHost>>
test.before(async () => {
  host = await startHost(gateway)
})

const issuer = 'https://farm.example.com'

/** The error that reaches the client, which always says who answers. */
async function errorOf(more: Record<string, string | undefined>) {
  const { reply } = await host.begin(more)
  const location = String(reply.headers.location)
  if (!location.startsWith(host.redirectUri)) return location
  // Errors of flows that answer in the fragment go there.
  const { searchParams } = new URL(location.replace('#', '?'))
  return searchParams.get('iss') === issuer ? searchParams.get('error') : 'no iss'
}

test('every request without S256 is refused', async (t) => {
  t.is(await errorOf({ code_challenge: undefined }), 'invalid_request')
  t.is(await errorOf({ code_challenge_method: 'plain' }), 'invalid_request')
  t.is(await errorOf({ code_challenge_method: undefined }), 'invalid_request')
  for (const verifier of [pkce().verifier, undefined]) {
    const reply = await host.redeem(await host.consent(), { code_verifier: verifier ?? '' })
    t.is(reply.statusCode, 400, reply.body)
    t.regex(reply.json().error, /^invalid_(grant|request)$/)
  }
})

test('a verifier is refused for its length alone', async (t) => {
  for (const length of [42, 43, 128, 129]) {
    // The challenge is that of this very verifier.
    const consented = await host.consent({}, {}, length)
    const { verifier } = consented.asking
    t.is(verifier.length, length)
    const reply = await host.redeem(consented)
    if (length === 43 || length === 128) {
      t.is(reply.statusCode, 200, reply.body)
      continue
    }
    t.is(reply.statusCode, 400, reply.body)
    t.regex(reply.json().error, /^invalid_(grant|request)$/)
    t.regex(reply.json().error_description, /code_verifier/)
  }
})

test('only the one scope is given, and those of OpenID are ignored', async (t) => {
  for (const scope of ['admin', 'service:mcp admin', 'service:other', 'SERVICE:MCP']) {
    t.is(await errorOf({ scope }), 'invalid_scope', scope)
  }
  const usual = 'openid offline_access profile email service:mcp'
  for (const scope of [usual, 'openid', undefined, '']) {
    const consented = await host.consent({}, { scope, nonce: 'n', max_age: '1', claims: '{}' })
    const reply = await host.redeem(consented)
    t.is(reply.statusCode, 200, `${scope}: ${reply.body}`)
    t.is(reply.json().scope, 'service:mcp')
    t.is(reply.json().id_token, undefined)
    t.truthy(reply.json().refresh_token)
    const refreshed = await host.refresh(reply.json().refresh_token, { scope: usual })
    t.is(refreshed.json().scope, 'service:mcp', refreshed.body)
  }
})

test('a token is for the endpoint alone, however its address is spelled', async (t) => {
  const wrong = [
    'https://farm.example.com',
    'https://farm.example.com/mcp2',
    'https://evil.example/mcp',
  ]
  for (const resource of [...wrong, 'http://farm.example.com/mcp', 'mcp', `${mcpUrl}?a=1`]) {
    t.is(await errorOf({ resource }), 'invalid_target', resource)
  }
  for (const resource of [`${mcpUrl}/`, 'HTTPS://FARM.example.com/mcp', undefined]) {
    const consented = await host.consent({}, { resource })
    const reply = await host.redeem(consented, { resource: `${mcpUrl}/` })
    t.is(reply.statusCode, 200, `${resource}: ${reply.body}`)
  }
  const consented = await host.consent()
  const other = await host.redeem(consented, { resource: 'https://evil.example/mcp' })
  t.is(other.json().error, 'invalid_target')
})

test('other flows and answers are refused', async (t) => {
  t.is(await errorOf({ response_type: 'token' }), 'unsupported_response_type')
  t.is(await errorOf({ response_type: 'id_token' }), 'unsupported_response_type')
  t.is(await errorOf({ response_mode: 'form_post' }), 'unsupported_response_mode')
  t.is(await errorOf({ response_mode: 'fragment' }), 'unsupported_response_mode')
  t.is(await errorOf({ request: 'e30.e30.' }), 'request_not_supported')
  t.is(await errorOf({ prompt: 'none' }), 'login_required')
})

const variants = (uri: string) => {
  const { origin, host: authority } = new URL(uri)
  return [
    `${uri}/`,
    `${uri}?a=1`,
    `${uri}#f`,
    `${uri}%2f`,
    `${uri}/../cb`,
    `${uri}//`,
    `${uri} `,
    `${uri}\\`,
    `${uri}x`,
    origin,
    `${origin}/`,
    `${origin}/CB`,
    `${origin}/cb;a`,
    uri.replace(authority, `evil.example@${authority}`),
    uri.replace(authority, `${authority}@evil.example`),
    uri.replace(authority, `${authority}.evil.example`),
    uri.replace(authority, `evil.example/${authority}`),
    uri.replace('://', ':/'),
    uri.replace('://', ':///'),
    'javascript:alert(1)',
    'data:text/html,x',
    'https://evil.example/cb',
    '//evil.example/cb',
    '/cb',
    '',
  ]
}

test('the answer’s address is exact, but for the port on this computer', async (t) => {
  const web = 'https://app.example.com/cb'
  const local = 'http://127.0.0.1:3000/cb'
  const client = await register(gateway.server, { redirect_uris: [web, local] })
  const own = { clientId: client.json().client_id, ...pkce() }
  const ask = async (redirectUri: string) =>
    await gateway.server.inject(host.authorizeUrl({ ...own, redirectUri }))
  const refused = [
    ...variants(web),
    ...variants(local),
    ...[
      'https://app.example.com:444/cb',
      'http://app.example.com/cb',
      'https://APP.example.com./cb',
    ],
    ...['http://localhost:3000/cb', 'http://[::1]:3000/cb', 'https://127.0.0.1:3000/cb'],
  ]
  t.true(refused.length >= 30)
  for (const uri of refused) {
    const reply = await ask(uri)
    t.is(reply.statusCode, 400, uri)
    t.is(reply.headers.location, undefined, uri)
  }
  for (const uri of [web, local, 'http://127.0.0.1:51234/cb', 'http://127.0.0.1/cb']) {
    const reply = await ask(uri)
    t.regex(String(reply.headers.location), /^\/oauth\/consent\//, `${uri} ${reply.body}`)
  }
})

test('an unknown client or address gets a page of advice, no redirect', async (t) => {
  const headers = { accept: 'text/html', 'x-request-id': 'request-1' }
  const asking = { clientId: 'unknown', redirectUri: 'https://evil.example/', ...pkce() }
  const unknown = await gateway.server.inject({ url: host.authorizeUrl(asking), headers })
  t.is(unknown.statusCode, 400)
  t.is(unknown.headers.location, undefined)
  t.regex(unknown.body, /add it again/)
  t.regex(unknown.body, /request-1/)
  t.regex(String(unknown.headers['content-security-policy']), /frame-ancestors 'none'/)
  t.notRegex(unknown.body, /<script|evil/)
  const known = { ...asking, clientId: host.clientId }
  const wrong = await gateway.server.inject({ url: host.authorizeUrl(known), headers })
  t.is(wrong.statusCode, 400)
  t.is(wrong.headers.location, undefined)
  t.regex(wrong.body, /has not registered/)
})
