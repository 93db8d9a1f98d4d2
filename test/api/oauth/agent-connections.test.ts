import test from 'ava'
import { sql } from 'kysely'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { createFarmClient } from '../../../client/farm-client.ts'
import { setPassword } from '../../../store/db/accounts/set-password.ts'
import { suspendAccount } from '../../../store/db/accounts/suspend-account.ts'
import { bearer, call, signIn } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { startHost } from './agent-host.ts'

const gateway = await startGateway()
test.before(async () => {
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway.stop())
const { db, context, server } = gateway

const isAccepted = async (token: string) => (await findAgentToken(context, token)) !== undefined

async function connected() {
  const host = await startHost(gateway)
  const tokens = await host.connect({ profile: 'creator', totalCap: 300 })
  return { host, token: tokens.access_token, refresh: tokens.refresh_token }
}

test('a user lists, limits and disconnects agents through the client', async (t) => {
  const { host, token } = await connected()
  const address = server.listeningOrigin
  const { connections } = createFarmClient({ url: address, accessToken: host.person.accessToken })
  await findAgentToken(context, token)
  const [connection, ...others] = await connections.list()
  t.deepEqual(others, [])
  t.like(connection, {
    ...{ clientName: 'Claude', clientDocument: null, redirectHost: 'claude.ai' },
    ...{ connectedBy: host.person.email, profile: 'creator', creditsSpent: 0 },
    ...{ renderCap: 120, totalCap: 300, bulkCap: 25 },
  })
  t.truthy(connection?.lastUsedAt)
  const id = connection?.id ?? ''
  const changed = await connections.change(id, { profile: 'readonly', totalCap: null, bulkCap: 3 })
  t.like(changed, { profile: 'readonly', totalCap: null, bulkCap: 3, renderCap: 120 })
  const agent = await findAgentToken(context, token)
  t.like(agent?.credential, { profile: 'readonly' })
  t.deepEqual(agent?.credential.caps, { renderCap: 120, totalCap: null, bulkCap: 3 })
  t.like(await connections.change(id, { renderCap: 5 }), { totalCap: null, renderCap: 5 })
  await connections.disconnect(id)
  t.false(await isAccepted(token))
  t.deepEqual(await connections.list(), [])
  await t.throwsAsync(connections.disconnect(id), { message: /connected agent of the account/ })
  t.throws(() => createFarmClient({ url: address, accessToken: '' }), { instanceOf: TypeError })
})

test('keys and agents cannot change connections', async (t) => {
  const { host } = await connected()
  const headers = { 'x-api-key': host.customer.key }
  t.is((await call(gateway, 'GET', '/api/agent-connections', { headers })).statusCode, 403)
})

test('sign-out disconnects the user’s agents, and no other’s', async (t) => {
  const { host, token, refresh } = await connected()
  const other = await connected()
  const headers = bearer(host.person.accessToken)
  t.is((await call(gateway, 'POST', '/api/auth/sign-out', { headers })).statusCode, 200)
  t.false(await isAccepted(token))
  const refused = (await host.refresh(refresh)).json()
  t.is(refused.error, 'invalid_grant')
  t.regex(
    refused.error_description,
    /^The person has signed out, .*Ask the person to connect again$/,
  )
  t.true(await isAccepted(other.token))
})

test('a dashboard refresh token that is used twice disconnects no agent', async (t) => {
  const { host, token } = await connected()
  const body = { refreshToken: host.person.refreshToken }
  t.is((await call(gateway, 'POST', '/api/auth/refresh', { body })).statusCode, 200)
  // Another browser: the first one may ask again for ten seconds.
  const elsewhere = { body, headers: { 'user-agent': 'another browser' } }
  t.is((await call(gateway, 'POST', '/api/auth/refresh', elsewhere)).statusCode, 401)
  t.true(await isAccepted(token))
})

test('a new password, a suspension and a user’s end disconnect their agents', async (t) => {
  const changed = await connected()
  await setPassword(db, { email: changed.host.person.email, password: 'another' })
  t.false(await isAccepted(changed.token))

  const suspended = await connected()
  const { accountId } = suspended.host.customer
  t.true(await suspendAccount(db, { accountId, isSuspended: true }))
  t.false(await suspendAccount(db, { accountId, isSuspended: true }))
  t.true(await suspendAccount(db, { accountId, isSuspended: false }))
  t.false(await isAccepted(suspended.token))

  const removed = await connected()
  await sql`delete from users where id = ${removed.host.person.userId}`.execute(db)
  t.false(await isAccepted(removed.token))
  t.is((await removed.host.refresh(removed.refresh)).json().error, 'invalid_grant')
})

test('an account sees its own agents only', async (t) => {
  const { token } = await connected()
  const other = await signIn(gateway, (await gateway.customer()).accountId)
  const { connections } = createFarmClient({
    url: server.listeningOrigin,
    accessToken: other.accessToken,
  })
  t.deepEqual(await connections.list(), [])
  const { rows } = await sql<{ id: string }>`
    select id from agent_grants where revoked_at is null limit 1`.execute(db)
  const id = rows[0]?.id ?? ''
  await t.throwsAsync(connections.change(id, { profile: 'developer' }), { message: /Got/ })
  await t.throwsAsync(connections.disconnect(id), { message: /Got/ })
  t.true(await isAccepted(token))
})
