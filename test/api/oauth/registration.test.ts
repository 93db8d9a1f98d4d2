import test from 'ava'
import { sql } from 'kysely'
import { redirectUriFault } from '../../../api/oauth/registration-policy.ts'
import { readSealKeys } from '../../../runtime/seal.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { startGateway } from '../gateway.ts'
import { pkce, register, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())
const { server, db } = gateway

/** Addresses of hosts as they were last seen. */
const hosts = {
  claude: 'https://claude.ai/api/mcp/auth_callback',
  'claude.com': 'https://claude.com/api/mcp/auth_callback',
  chatgpt: 'https://chatgpt.com/connector/oauth/abc123',
  'claude code': 'http://localhost:54213/callback',
  cursor: 'cursor://anysphere.cursor-mcp/oauth/callback',
  'vs code': 'http://127.0.0.1:33418/',
  'vs code, web': 'https://vscode.dev/redirect',
  n8n: 'https://oauth.n8n.cloud/oauth2/callback',
  'n8n, own': 'https://n8n.example.com/rest/oauth2-credential/callback',
  'ipv6 loopback': 'http://[::1]:8976/cb',
  'vs code, extension': 'vscode://saoudrizwan.claude-dev/mcp-auth/callback',
  'vs code insiders': 'vscode-insiders://publisher.extension/callback',
  windsurf: 'windsurf://codeium.windsurf/oauth/callback',
  zed: 'zed://mcp/oauth/callback',
  'claude desktop': 'claude://mcp/oauth/callback',
  'reverse domain': 'com.example.app:/oauth/callback',
  'reverse domain, host': 'com.example.my-app://callback',
}

const refused = [
  'http://evil.example.com/cb',
  'http://localhost.evil.example/cb',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'https://app.example.com/cb#f',
  'https://user:pass@app.example.com/cb',
  'https://localhost/cb',
  'https://*.example.com/cb',
  'intent://scan/#Intent;end',
  'vbscript:msgbox(1)',
  'ms-msdt:/id PCWDiagnostic',
  'ms-msdt:id',
  'ms-settings:display',
  'search-ms:query=x&crumb=location:\\\\evil.example\\share',
  'search-ms:query=x',
  'shell:startup',
  'smb://evil.example/share',
  'ldap://evil.example/cn=x',
  'jar:https://evil.example/a.jar!/b',
  'ssh://evil.example',
  'steam://run/1',
  'unknown-app://callback',
  'x.:/callback',
  '/cb',
  'https://app.example.com/c b',
  '',
]

const rows = async () => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from oauth_clients`.execute(db)
  return rows[0]?.n
}

test.serial(
  'the addresses of known hosts register, and authorize takes what register took',
  async (t) => {
    const host = await startHost(gateway)
    for (const [name, uri] of Object.entries(hosts)) {
      const reply = await register(server, { redirect_uris: [uri] })
      t.is(reply.statusCode, 201, `${name}: ${reply.body}`)
      const asking = { clientId: reply.json().client_id, redirectUri: uri, ...pkce() }
      const asked = await server.inject(host.authorizeUrl(asking))
      t.regex(String(asked.headers.location), /^\/oauth\/consent\//, name)
    }
    for (const uri of refused) {
      const before = await rows()
      const reply = await register(server, { redirect_uris: [uri] })
      t.is(reply.statusCode, 400, uri)
      t.is(reply.json().error, 'invalid_redirect_uri')
      t.is(await rows(), before)
      t.truthy(redirectUriFault(uri))
      t.regex(reply.json().error_description, /must .* Got .*Mend the address and register again$/)
    }
  },
)

test.serial('a stored address that is no longer allowed is not redirected to', async (t) => {
  const host = await startHost(gateway)
  const { clientId } = host
  const store = async (uris: readonly string[]) =>
    await sql`update oauth_clients set metadata = metadata || ${JSON.stringify({ redirect_uris: uris })}::jsonb
      where id_sha256 = sha256(convert_to(${clientId}, 'UTF8'))`.execute(db)
  const ask = async (redirectUri: string) =>
    await server.inject(host.authorizeUrl({ clientId, redirectUri, ...pkce() }))
  const kept = 'https://claude.ai/api/mcp/auth_callback'
  await store(['ms-msdt:id', kept])
  t.is((await ask('ms-msdt:id')).statusCode, 400)
  t.regex(String((await ask(kept)).headers.location), /^\/oauth\/consent\//)
  await store(['ms-msdt:id'])
  const alone = await ask('ms-msdt:id')
  t.is(alone.statusCode, 400)
  t.is(alone.headers.location, undefined)
})

test('a client gets what the farm gives, whatever it asks for', async (t) => {
  const reply = await register(server, {
    scope: 'openid offline_access admin',
    grant_types: ['authorization_code'],
    application_type: 'web',
    id_token_signed_response_alg: 'RS256',
    logo_uri: 'https://evil.example/logo.svg',
    jwks_uri: 'https://evil.example/jwks',
  })
  t.is(reply.statusCode, 201, reply.body)
  const client = reply.json()
  t.is(client.scope, 'service:mcp')
  t.deepEqual(client.grant_types, ['authorization_code', 'refresh_token'])
  t.is(client.client_secret, undefined)
  t.is(client.logo_uri, undefined)
  t.is(client.jwks_uri, undefined)
})

test.serial('metadata outside the rules is refused without a row', async (t) => {
  const before = await rows()
  const uris = Array.from({ length: 11 }, (_, i) => `https://app.example.com/${i}`)
  for (const metadata of [
    { redirect_uris: uris },
    { redirect_uris: [] },
    { redirect_uris: 'https://app.example.com/' },
    { grant_types: ['client_credentials'] },
    { grant_types: ['implicit', 'authorization_code'] },
    { response_types: ['token'] },
    { token_endpoint_auth_method: 'private_key_jwt' },
    { client_name: 'x'.repeat(101) },
    { client_name: 'Cl\u202eaude' },
  ]) {
    const reply = await register(server, metadata)
    t.is(reply.statusCode, 400, `${JSON.stringify(metadata)} ${reply.body}`)
    t.regex(reply.json().error_description, /must be .*Got /)
  }
  t.is((await register(server, { contacts: ['x'.repeat(17_000)] })).statusCode, 413)
  const text = { 'content-type': 'application/json' }
  const broken = { method: 'POST' as const, url: '/oauth/register', headers: text, payload: '{' }
  t.is((await server.inject(broken)).statusCode, 400)
  t.is(await rows(), before)
})

test('a confidential client has its secret sealed, and must show it', async (t) => {
  for (const method of ['client_secret_basic', 'client_secret_post', undefined]) {
    const host = await startHost(gateway, { metadata: { token_endpoint_auth_method: method } })
    const { client_secret: secret } = host.registered.json()
    t.truthy(secret)
    const { rows: found } = await sql<{ text: string }>`
      select row_to_json(c)::text as text from oauth_clients c`.execute(db)
    t.false(found.some(({ text }) => text.includes(secret)))
    const consented = await host.consent()
    t.is((await host.redeem(consented)).statusCode, 401)
    if (method !== 'client_secret_post') continue
    const wrong = await host.redeem(consented, { client_secret: 'wrong' })
    t.is(wrong.json().error, 'invalid_client')
    t.is((await host.redeem(consented, { client_secret: secret })).statusCode, 200)
  }
})

test('a client whose secret no key opens is unknown, and registers again', async (t) => {
  const metadata = { token_endpoint_auth_method: 'client_secret_post' }
  const host = await startHost(gateway, { metadata })
  const { client_secret: secret } = host.registered.json()
  const sealKeys = readSealKeys({}, 'another secret of the farm')
  const other = await gateway.startReplica({ sealKeys })
  const reply = await host.refresh('any', { client_secret: secret }, other.server)
  t.is(reply.statusCode, 401)
  t.is(reply.json().error, 'invalid_client')
  t.regex(reply.json().error_description, /register again, then connect again$/)
  await other.stop()
})

test.serial('an address registers twenty clients an hour and no more', async (t) => {
  const before = await rows()
  const replies = await Promise.all(
    Array.from({ length: 25 }, () => register(server, {}, '203.0.113.9')),
  )
  t.is(replies.filter(({ statusCode }) => statusCode === 201).length, 20)
  for (const reply of replies.filter(({ statusCode }) => statusCode !== 201)) {
    t.is(reply.statusCode, 429)
    t.true(Number(reply.headers['retry-after']) > 3000)
    t.regex(reply.json().error_description, /metadata document/)
  }
  t.is(await rows(), Number(before) + 20)
})

test.serial('the farm keeps at most five thousand clients; unused ones make room', async (t) => {
  const fill = sql`
    insert into oauth_clients (id_sha256, metadata, created_from, created_at)
    select sha256(convert_to('filler ' || n, 'UTF8')), '{}', 'elsewhere', now() - interval '23 hours'
    from generate_series(1, 5000 - (select count(*)::int from oauth_clients)) as n`
  await fill.execute(db)
  t.is(await rows(), 5000)
  const full = await register(server)
  t.is(full.statusCode, 429, full.body)
  t.is(await rows(), 5000)
  await sql`update oauth_clients set created_at = now() - interval '25 hours'
    where created_from = 'elsewhere'`.execute(db)
  t.is((await register(server)).statusCode, 201)
  t.true(Number(await rows()) < 200)
})

test.serial('a client without a live grant ends after ninety days', async (t) => {
  const host = await startHost(gateway)
  await host.connect()
  const objects = { remove: async () => undefined, removePrefix: async () => undefined }
  const isKnown = async () => (await host.begin()).reply.statusCode === 303
  await sql`update oauth_clients set last_used_at = now() - interval '91 days'`.execute(db)
  await removeExpired({ db, objects })
  t.true(await isKnown())
  await sql`update agent_grants set revoked_at = now() - interval '80 days'`.execute(db)
  await removeExpired({ db, objects })
  t.false(await isKnown())
  const reply = await host.refresh('any')
  t.is(reply.statusCode, 401)
  t.is(reply.json().error, 'invalid_client')
})
