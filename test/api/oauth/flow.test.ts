import test from 'ava'
import * as oauth from 'oauth4webapi'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { startGateway } from '../gateway.ts'
import { mcpUrl, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

test('a client registers, its person consents, the token stands for the grant', async (t) => {
  const host = await startHost(gateway)
  t.is(host.registered.statusCode, 201, host.registered.body)
  const consented = await host.consent({ profile: 'automation', totalCap: 500 })
  t.is(consented.answer.searchParams.get('iss'), 'https://farm.example.com')
  t.is(consented.answer.searchParams.get('state'), 'a state')
  const reply = await host.redeem(consented)
  t.is(reply.statusCode, 200, reply.body)
  const tokens = reply.json()
  t.is(tokens.expires_in, 3600)
  t.is(tokens.scope, 'service:mcp')
  t.is(tokens.id_token, undefined)
  t.is(tokens.token_type, 'Bearer')
  const caller = await findAgentToken({ db: gateway.db, mcpUrl }, tokens.access_token)
  t.is(caller?.accountId, host.customer.accountId)
  t.like(caller?.credential, {
    ...{ kind: 'agent', userId: host.person.userId, profile: 'automation' },
    caps: { renderCap: 120, totalCap: 500, bulkCap: 25 },
    spent: 0,
  })
  const refreshed = await host.refresh(tokens.refresh_token)
  t.is(refreshed.statusCode, 200, refreshed.body)
})

/** Lets a client of another make reach the server without a network. */
const reach = {
  async [oauth.customFetch](
    url: string,
    {
      method,
      headers,
      body,
    }: oauth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>,
  ) {
    const { pathname } = new URL(url)
    const payload = body ? { payload: String(body) } : {}
    const asked = { method: method as 'POST', url: pathname, headers: { ...headers }, ...payload }
    const reply = await gateway.server.inject(asked)
    const type = String(reply.headers['content-type'])
    const { statusCode: status } = reply
    const text = reply.body === '' ? null : reply.body
    return new Response(text, { status, headers: { 'content-type': type } })
  },
}

test('a strict client of another make goes the whole way', async (t) => {
  const issuer = new URL('https://farm.example.com')
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...reach })
  const as = await oauth.processDiscoveryResponse(issuer, discovered)
  const host = await startHost(gateway, {
    metadata: { token_endpoint_auth_method: 'client_secret_basic' },
  })
  const { client_secret: secret } = host.registered.json()
  const client: oauth.Client = { client_id: host.clientId }
  const auth = oauth.ClientSecretBasic(secret)
  const { answer, asking } = await host.consent()
  const parameters = oauth.validateAuthResponse(as, client, answer, 'a state')
  const redeemed = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      parameters,
      asking.redirectUri,
      asking.verifier,
      reach,
    ),
  )
  t.is(redeemed.token_type, 'bearer')
  const refreshed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, auth, redeemed.refresh_token ?? '', reach),
  )
  t.not(refreshed.refresh_token, redeemed.refresh_token)
  t.truthy(await findAgentToken(gateway.context, refreshed.access_token))
  const revoked = await oauth.revocationRequest(as, client, auth, refreshed.access_token, reach)
  await oauth.processRevocationResponse(revoked)
  t.is(await findAgentToken(gateway.context, refreshed.access_token), undefined)
  const { answer: refused } = await host.consent()
  refused.searchParams.set('iss', 'https://evil.example')
  t.throws(() => oauth.validateAuthResponse(as, client, refused, 'a state'))
})
