import test from 'ava'
import { sql } from 'kysely'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { endAgentGrant } from '../../../store/db/agents/end-agent-grant.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { bearer, call } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { form, mcpUrl, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())
const { db, server } = gateway

const isAccepted = async (token: string, resource = mcpUrl) =>
  (await findAgentToken({ db, mcpUrl: resource }, token)) !== undefined

type Host = Awaited<ReturnType<typeof startHost>>

/** Tokens of the host's grants. */
const isOf = ({ customer }: Host) => sql`grant_id in (
  select id from agent_grants where account_id = ${customer.accountId})`
const grantOf = async ({ customer }: Host) => {
  const { rows } = await sql<{ id: string }>`
    select id from agent_grants where account_id = ${customer.accountId}`.execute(db)
  return rows[0]?.id ?? ''
}

test('a code is for its client and its address', async (t) => {
  const [host, other] = [await startHost(gateway), await startHost(gateway)]
  const consented = await host.consent()
  const foreign = await host.redeem(consented, { client_id: other.clientId })
  t.is(foreign.json().error, 'invalid_grant')
  const elsewhere = await host.redeem(consented, { redirect_uri: 'https://claude.ai/other' })
  t.is(elsewhere.json().error, 'invalid_grant')
  const own = await host.redeem(consented)
  t.is(own.statusCode, 200, own.body)
  t.true(await isAccepted(own.json().access_token))
})

// Serial: it moves the clock of the process.
test.serial('a code expires after sixty seconds', async (t) => {
  const host = await startHost(gateway)
  const consented = await host.consent()
  const realNow = Date.now
  Date.now = () => realNow() + 61_000
  const reply = await host.redeem(consented).finally(() => {
    Date.now = realNow
  })
  t.is(reply.json().error, 'invalid_grant', reply.body)
})

test('a used token is answered within the grace only', async (t) => {
  const host = await startHost(gateway)
  const first = await host.connect()
  const second = (await host.refresh(first.refresh_token)).json()
  await sql`update oauth_tokens set consumed_at = consumed_at - interval '31 s'
    where consumed_at is not null and ${isOf(host)}`.execute(db)
  t.is((await host.refresh(first.refresh_token)).json().error, 'invalid_grant')
  t.false(await isAccepted(second.access_token))
  const { rows } = await sql<{ reason: string }>`
    select revoke_reason as reason from agent_grants where account_id = ${host.customer.accountId}`.execute(
    db,
  )
  t.is(rows[0]?.reason, 'a code or refresh token was used twice')
})

test('a refresh token is its client’s alone', async (t) => {
  const [host, other] = [await startHost(gateway), await startHost(gateway)]
  const tokens = await host.connect()
  const foreign = await other.refresh(tokens.refresh_token)
  t.is(foreign.json().error, 'invalid_grant')
  t.is((await host.refresh(tokens.refresh_token)).statusCode, 200)
})

for (const kind of ['refresh_token', 'access_token'] as const) {
  test(`revoking a ${kind} ends both at the next call`, async (t) => {
    const [host, other] = [await startHost(gateway), await startHost(gateway)]
    const tokens = await host.connect()
    const revoke = async (clientId: string) =>
      await form(server, '/oauth/revoke', { token: tokens[kind], client_id: clientId })
    t.is((await revoke(other.clientId)).statusCode, 200)
    t.true(await isAccepted(tokens.access_token))
    t.is((await revoke(host.clientId)).statusCode, 200)
    t.false(await isAccepted(tokens.access_token))
    t.is((await host.refresh(tokens.refresh_token)).json().error, 'invalid_grant')
  })
}

test('an agent’s token opens no API route, and no other the endpoint', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token, refresh_token: refresh } = await host.connect()
  for (const { method, path, credentials } of server.access) {
    if (credentials.length === 0 || !path.startsWith('/api/')) continue
    const url = path.replace(/:\w+/g, 'x')
    const reply = await server.inject({ method: method as 'GET', url, headers: bearer(token) })
    t.is(reply.statusCode, 401, `${method} ${path}`)
  }
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  const others = [
    host.person.accessToken,
    host.customer.key,
    refresh,
    `${none}.${Buffer.from('{"sub":"x"}').toString('base64url')}.`,
    token.slice(1),
    `${token}a`,
    '',
  ]
  for (const other of others) t.false(await isAccepted(other))
  t.false(await isAccepted(token, 'https://other.example.com/mcp'))
  t.true(await isAccepted(token))
})

test('tokens live as long as the settings say', async (t) => {
  const settings = { FARM_OAUTH_ACCESS_S: '60', FARM_OAUTH_REFRESH_DAYS: '2' }
  const oauth = readOAuthSettings(settings, 'https://farm.example.com')
  const replica = await gateway.startReplica({ oauth })
  const host = await startHost(gateway)
  const { refresh_token: token } = await host.connect()
  t.is((await host.refresh(token, {}, replica.server)).json().expires_in, 60)
  const { rows } = await sql<{ kind: string; seconds: number }>`
    select kind, round(extract(epoch from max(expires_at) - now()))::int as seconds
    from oauth_tokens where consumed_at is null and ${isOf(host)} group by kind order by kind`.execute(
    db,
  )
  const [access, refresh] = rows
  t.true(refresh !== undefined && Math.abs(refresh.seconds - 2 * 24 * 3600) < 5)
  t.true(access !== undefined && Math.abs(access.seconds - 3600) < 10)
  await replica.stop()
})

test('a token is neither taken from queries nor given without a code', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token } = await host.connect()
  const query = await call(gateway, 'GET', `/api/user/profile?access_token=${token}`)
  t.is(query.statusCode, 401)
  for (const type of ['client_credentials', 'password', 'implicit']) {
    const reply = await form(server, '/oauth/token', { grant_type: type, client_id: host.clientId })
    t.is(reply.statusCode, 400)
  }
})

test('an access token ends with its time; the sweeper removes what ended', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token } = await host.connect()
  t.true(await isAccepted(token))
  await sql`update oauth_tokens set expires_at = now() - interval '1 s'
    where kind = 'access' and ${isOf(host)}`.execute(db)
  t.false(await isAccepted(token))
  const objects = { remove: async () => undefined, removePrefix: async () => undefined }
  const count = async () => {
    const { rows } = await sql<{ kind: string }>`
      select kind from oauth_tokens where ${isOf(host)} order by kind`.execute(db)
    return rows.map(({ kind }) => kind)
  }
  await removeExpired({ db, objects })
  t.deepEqual(await count(), ['code', 'refresh'])
  await endAgentGrant(db, { id: await grantOf(host), reason: 'test' })
  await removeExpired({ db, objects })
  t.deepEqual(await count(), ['refresh'])
  await sql`update oauth_tokens set expires_at = now() - interval '1 s'
    where kind = 'refresh' and ${isOf(host)}`.execute(db)
  await removeExpired({ db, objects })
  t.deepEqual(await count(), [])
})
