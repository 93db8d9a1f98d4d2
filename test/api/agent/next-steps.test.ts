import test from 'ava'
import { sql } from 'kysely'
import { whyNotRefreshed } from '../../../api/oauth/ended-token.ts'
import { suspendAccount } from '../../../store/db/accounts/suspend-account.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { bearer } from '../accounts.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { form, startHost } from '../oauth/agent-host.ts'
import { listen } from './host.ts'
import { asModern, message, modern, type Sent, send } from './raw-messages.ts'
import { envelope } from './task-host.ts'

/** Each refusal is a sentence that says what to do next, and says it of that fault alone. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

const large = { project: { visuals: Array.from({ length: 20_001 }, () => 1) } }

type Row = readonly [
  what: string,
  sent: Sent,
  status: number,
  code: number | 'result',
  next: RegExp,
]

const accepts = /Send Accept: application\/json, text\/event-stream\.$/
const listings = /Call tools\/list, prompts\/list or resources\/list to see what there is\.$/
const noName =
  /^invalid_request: params\.name must be given\. Got nothing\. Mend the parameters that are named here/
const rows: readonly Row[] = [
  ['no name of a prompt', { body: message('prompts/get') }, 200, -32_602, noName],
  ['no name of a tool', { body: message('tools/call') }, 200, -32_602, /Call tools\/list; where/],
  ['GET', { method: 'GET' }, 405, -32_000, /Send each message in a POST of its own\.$/],
  ['DELETE', { method: 'DELETE' }, 405, -32_000, /Send each message in a POST of its own\.$/],
  ['Accept', { body: message('ping'), headers: { accept: '*/*' } }, 406, -32_000, accepts],
  ['method', { body: message('nope/x') }, 200, -32_601, listings],
  ['modern method', asModern('nope/x'), 404, -32_601, listings],
  ['method of another era', asModern('initialize'), 404, -32_601, listings],
  ['tasks in the older era', { body: message('tasks/get') }, 200, -32_601, listings],
  ...[
    ['prompts/get', { name: 'nope' }, /Call prompts\/list for their arguments\.$/],
    ['prompts/get', { name: '__proto__' }, /Got "__proto__"\. Call prompts\/list for their/],
    ['prompts/get', { name: 'toString' }, /Got "toString"\. Call prompts\/list for their/],
    ['prompts/get', { name: 'promo' }, /Call prompts\/list for its arguments\.$/],
    ['resources/read', { uri: 'farm://nope' }, /templates\/list for those that exist\.$/],
    ['resources/read', { uri: 'farm://schema/NOPE' }, /Got "NOPE"/],
    ['resources/read', { uri: 'no address' }, /templates\/list for those that exist\.$/],
    ['tools/call', { name: 'nope', arguments: {} }, /Call tools\/list; where a tool is missing/],
    ['tools/call', { name: 'delete_template', arguments: {} }, /Ask the person for a connection/],
    ['tools/call', { name: 'render', arguments: [] }, /tools\/list has each schema\.$/],
  ].flatMap(([method, params, next]): Row[] => {
    const [of, asked] = [String(method), params as Record<string, unknown>]
    const what = `${of} ${JSON.stringify(asked)}`
    return [{ body: message(of, asked) }, asModern(of, asked)].map((sent) => [
      ...([what, sent, 200, -32_602, next as RegExp] as const),
    ])
  }),
  ...[
    { body: message('tools/call', { name: 'check_project', arguments: large }) },
    asModern('tools/call', { name: 'check_project', arguments: large }),
  ].map(
    (sent): Row => [
      '20,001 elements',
      sent,
      200,
      'result',
      /in parts with save_draft and edit_draft/,
    ],
  ),
  ...(
    [
      ['get_schema', { part: 'NOPE' }, /Call get_schema without part to see/],
      ['save_draft', { name: 'x', from: 'nope' }, /Call find_examples or list_templates/],
      ['save_draft', { name: 'x' }, /Send from to begin with an example, or a project of/],
      ['edit_draft', { draft: 'prj_1' }, /Send patch to change the draft, or restore to go/],
      ['get_bulk', { bulk: 'x' }, /Call get_render for a single render\.$/],
    ] as const
  ).map(([name, given, next]): Row => {
    const body = message('tools/call', { name, arguments: given })
    return [name, { query: '?profile=automation', body }, 200, 'result', next]
  }),
  [
    'header and body of two methods',
    {
      ...asModern('tools/list'),
      headers: { 'mcp-protocol-version': modern, 'mcp-method': 'ping' },
    },
    ...([400, -32_020, /Send the same in the headers and in the body\.$/] as const),
  ],
  [
    'no envelope',
    { body: message('tools/list'), headers: { 'mcp-protocol-version': modern } },
    ...([400, -32_602, /Mend the parameters that are named here/] as const),
  ],
  [
    'revision',
    {
      body: message('tools/list', {
        _meta: { ...envelope()._meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
      }),
      headers: { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' },
    },
    ...([400, -32_022, /Send one of the revisions that data\.supported lists\.$/] as const),
  ],
  ['no message', { body: {} }, 400, -32_600, /Send one JSON-RPC 2\.0 message with a method\.$/],
  ['no JSON', { body: '{' }, 400, -32_700, /Send one JSON-RPC message\.$/],
  ['no body', { body: '' }, 400, -32_700, /Send one JSON-RPC message\.$/],
  [
    'content type',
    { body: '{}', headers: { 'content-type': 'text/plain' } },
    415,
    -32_600,
    /Send the header Content-Type: application\/json\.$/,
  ],
  ['large body', { body: ' '.repeat(2_000_001) }, 413, -32_600, /Send a project in parts/],
  ['query', { query: '?token=a', body: '{}' }, 400, -32_600, /Send tokens as Authorization/],
  ['profile', { query: '?profile=root', body: '{}' }, 400, -32_600, /Mend what is named here/],
  [
    'Origin',
    { body: '{}', headers: { origin: 'https://evil.example' } },
    403,
    -32_600,
    /Ask the operators of the farm to allow this page\.$/,
  ],
  [
    'batch',
    { body: [message('ping')] },
    400,
    -32_600,
    /Send each message in a request of its own\.$/,
  ],
]

/** A sentence with a rule, and another with what to do. */
const sentences = /^[A-Za-z_].{10,}[.?] [A-Z][^.]{8,}.*\.$/s

test('each refusal of the endpoint says what to do next', async (t) => {
  const { key } = await gateway.customer()
  for (const [what, sent, status, code, next] of rows) {
    const { status: seen, json } = await send(url, { 'x-api-key': key }, sent)
    const text = code === 'result' ? json.result.content[0].text : json.error?.message
    t.is(seen, status, `${what}: ${JSON.stringify(json)}`)
    if (code === 'result') t.true(json.result.isError)
    else t.is(json.error.code, code, `${what}: ${text}`)
    t.regex(text, next, what)
    t.regex(text, sentences, what)
  }
})

test('a suspended account and a narrow key learn whom to ask', async (t) => {
  const { key, accountId, send: ask } = await gateway.customer()
  const narrow = (await ask('POST', '/api/api-keys', { name: 'n', scopes: ['jobs'] })).json().key
  const list = { body: message('tools/list') }
  if (narrow !== undefined) {
    const refused = await send(url, { 'x-api-key': narrow }, list)
    t.regex(refused.json.error.message, /Ask the person for an API key with that scope\.$/)
  }
  await suspendAccount(gateway.db, { accountId, isSuspended: true })
  const { status, json } = await send(url, { 'x-api-key': key }, list)
  t.is(status, 403)
  t.regex(json.error.message, /suspended\. Ask the person to write to the operators of the farm\.$/)
})

type Connected = Awaited<ReturnType<typeof startHost>> & {
  readonly token: string
  readonly refreshToken: string
}

const ends: readonly (readonly [string, (host: Connected) => Promise<unknown>, RegExp])[] = [
  [
    'expired',
    async ({ customer: { accountId } }) =>
      await sql`update oauth_tokens set expires_at = now() - interval '1 s'
        where kind = 'access' and grant_id in (
          select id from agent_grants where account_id = ${accountId})`.execute(gateway.db),
    /^The access token has expired\. Get another with the refresh token; if that is refused, ask/,
  ],
  [
    'disconnected',
    async ({ person }) => {
      const headers = bearer(person.accessToken)
      const at = '/api/agent-connections'
      const [{ id }] = (await gateway.server.inject({ url: at, headers })).json().connections
      await gateway.server.inject({ method: 'DELETE', url: `${at}/${id}`, headers })
    },
    /^A user of the account has disconnected this agent\. Ask the person whether to connect again$/,
  ],
  [
    'signed out',
    async ({ person }) =>
      await gateway.server.inject({
        ...{ method: 'POST', url: '/api/auth/sign-out' },
        headers: bearer(person.accessToken),
      }),
    /^The person has signed out, .*Ask the person to connect again$/,
  ],
  [
    'suspended',
    async ({ customer: { accountId } }) =>
      await suspendAccount(gateway.db, { accountId, isSuspended: true }),
    /^The account must be active\. Got one that .* suspended\. Ask the person to write to the oper/,
  ],
  [
    'active again',
    async ({ customer: { accountId } }) => {
      await suspendAccount(gateway.db, { accountId, isSuspended: true })
      await suspendAccount(gateway.db, { accountId, isSuspended: false })
    },
    /^The account was suspended, .*it is active again\. Ask the person to connect again$/,
  ],
  [
    'revoked',
    async ({ clientId, refreshToken: token }) =>
      await form(gateway.server, '/oauth/revoke', { client_id: clientId, token }),
    /^The app has revoked this connection\. Ask the person to connect again$/,
  ],
  [
    'used twice',
    async ({ refresh, refreshToken, customer: { accountId } }) => {
      await refresh(refreshToken)
      await sql`update oauth_tokens set consumed_at = consumed_at - interval '1 hour'
        where consumed_at is not null and grant_id in (
          select id from agent_grants where account_id = ${accountId})`.execute(gateway.db)
      await refresh(refreshToken)
    },
    /^A code or refresh token of this connection was used twice, .*to connect again$/,
  ],
]

const gone = new Set(['revoked', 'used twice'])
const unknownRefresh =
  /^The refresh token must be one that the farm keeps\. Got an unknown one, or one whose connection has ended\. Ask the person to connect again$/

for (const [what, end, expected] of ends) {
  test(`an agent whose token is refused learns why: ${what}`, async (t) => {
    const host = await startHost(gateway)
    const { access_token: token, refresh_token: refreshToken } = await host.connect()
    const list = { body: message('tools/list') }
    t.is((await send(url, bearer(token), list)).status, 200)
    await end({ ...host, token, refreshToken })
    const { status, json, challenge } = await send(url, bearer(token), list)
    t.is(status, 401)
    t.regex(json.detail, expected)
    t.true(challenge.endsWith(`, error="invalid_token", error_description="${json.detail}"`))
    t.regex(json.detail, /^[^"\\]+$/)
    const refreshed = await host.refresh(refreshToken)
    if (what === 'expired') t.is(refreshed.statusCode, 200, refreshed.body)
    else {
      t.is(refreshed.json().error, 'invalid_grant')
      const text = refreshed.json().error_description
      // The library forgets a refresh token that it ends itself.
      t.regex(text, gone.has(what) ? unknownRefresh : expected)
    }
  })
}

test.serial('the reason outlasts the sweep of ended connections', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token, refresh_token: refreshToken } = await host.connect()
  const { accountId } = host.customer
  await sql`update agent_grants set revoked_at = now(), revoke_reason = 'disconnected by a user'
    where account_id = ${accountId}`.execute(gateway.db)
  const objects = { remove: async () => undefined, removePrefix: async () => undefined }
  await removeExpired({ db: gateway.db, objects })
  const { json } = await send(url, bearer(token), { body: message('tools/list') })
  t.regex(json.detail, /^A user of the account has disconnected this agent\./)
  const refreshed = await host.refresh(refreshToken)
  t.is(refreshed.json().error, 'invalid_grant')
  t.is(refreshed.json().error_description, json.detail)
})

test.serial('a refresh token that is unknown, swept or old says so', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token, refresh_token: refreshToken } = await host.connect()
  const told = async (refresh: string) => {
    const reply = (await host.refresh(refresh)).json()
    t.is(reply.error, 'invalid_grant')
    return reply.error_description
  }
  t.regex(await told('unknown'), unknownRefresh)
  t.regex(await told(token), /must be a refresh token\. Got an access token\. Send the refresh/)
  await sql`update oauth_tokens set expires_at = now() - interval '1 s'
    where kind = 'refresh'`.execute(gateway.db)
  t.regex(
    (await whyNotRefreshed(gateway.db, refreshToken)) ?? '',
    /^The refresh token has expired, .*Ask the person to connect again$/,
  )
  const objects = { remove: async () => undefined, removePrefix: async () => undefined }
  await removeExpired({ db: gateway.db, objects })
  t.regex(await told(refreshToken), unknownRefresh)
})

test('another’s token and one for something else tell nothing of a connection', async (t) => {
  const host = await startHost(gateway)
  const { refresh_token: refreshToken } = await host.connect()
  const list = { body: message('tools/list') }
  const unknown = await send(url, bearer('a'.repeat(43)), list)
  t.regex(unknown.json.detail, /^The token has expired or its connection has ended\. Refresh it;/)
  const other = await send(url, bearer(refreshToken), list)
  t.regex(other.json.detail, /Got one that is for something else\. Send the access token/)
  const none = await send(url, {}, list)
  t.regex(none.json.detail, /Sign in as the header WWW-Authenticate says, or ask the person for an/)
})

test('a key that is not valid is named beside a valid token', async (t) => {
  const { access_token: token } = await (await startHost(gateway)).connect()
  const list = { body: message('tools/list') }
  for (const key of [`svc_${'0'.repeat(64)}`, 'svc_1', '', '$KEY']) {
    const { status, json, challenge } = await send(
      url,
      { ...bearer(token), 'x-api-key': key },
      list,
    )
    t.is(status, 401, key)
    t.regex(
      json.detail,
      /^The API key in .* is not valid\. Leave the header out to use the token, or/,
    )
    t.false(challenge.includes('error='))
  }
  t.is((await send(url, bearer(token), list)).status, 200)
  const { json } = await send(url, { 'x-api-key': 'svc_1' }, list)
  t.regex(
    json.detail,
    /^The API key in .* Leave the header out and sign in as .*, or ask the person/,
  )
})

const faults: readonly (readonly [Record<string, string | undefined>, string, RegExp])[] = [
  [{ response_type: 'token' }, 'unsupported_response_type', /Send response_type=code$/],
  [
    { response_type: undefined },
    'invalid_request',
    /'response_type'\. Send the request again with it/,
  ],
  [{ code_challenge: undefined }, 'invalid_request', /Send code_challenge, made from the code_ver/],
  [{ code_challenge_method: 'plain' }, 'invalid_request', /and code_challenge_method=S256$/],
  [{ code_challenge_method: undefined }, 'invalid_request', /and code_challenge_method=S256$/],
  [{ code_challenge: 'short' }, 'invalid_request', /Send code_challenge, made from/],
  [{ scope: 'admin' }, 'invalid_scope', /Send the scope service:mcp, or no scope$/],
  [{ resource: 'https://x.example' }, 'invalid_target', /Send the resource that the document/],
  [{ response_mode: 'form_post' }, 'unsupported_response_mode', /Leave response_mode out/],
  [{ request: 'e30.e30.' }, 'request_not_supported', /Send the parameters themselves, without req/],
  [{ request_uri: 'urn:x' }, 'request_uri_not_supported', /themselves, without request_uri$/],
  [{ prompt: 'none' }, 'login_required', /Leave prompt=none out: a person must answer$/],
]

test('a refusal carried to the app says what to do next', async (t) => {
  const host = await startHost(gateway)
  for (const [more, code, next] of faults) {
    const { reply } = await host.begin({ ...more, state: 'a b&c' })
    const location = String(reply.headers.location)
    t.true(location.startsWith(host.redirectUri), location)
    const { searchParams: given } = new URL(location.replace('#', '?'))
    t.is(given.get('error'), code, location)
    t.regex(given.get('error_description') ?? '', next)
    t.is(given.get('state'), 'a b&c')
    t.is(given.get('iss'), 'https://farm.example.com')
  }
  const { browser, path } = await host.begin()
  const refusal = { body: { allow: false }, headers: bearer(host.person.accessToken) }
  const { redirectTo } = (await browser.send('POST', path, refusal)).json()
  const { headers } = await browser.send('GET', new URL(redirectTo).pathname)
  const given = new URL(String(headers.location)).searchParams
  t.is(given.get('error'), 'access_denied')
  t.regex(given.get('error_description') ?? '', /refused the connection\. Ask the person before/)
})

test('a refused registration says what to do next', async (t) => {
  const ask = async (payload: string) =>
    (
      await gateway.server.inject({
        method: 'POST',
        url: '/oauth/register',
        headers: { 'content-type': 'application/json' },
        payload,
      })
    ).json()
  t.regex((await ask('{')).error_description, /must be JSON\. Got another text\. Mend the metadata/)
  t.regex((await ask('{}')).error_description, /Got no list\. Mend the address and register again$/)
})
