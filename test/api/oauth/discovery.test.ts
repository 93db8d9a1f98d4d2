import test from 'ava'
import * as oauth from 'oauth4webapi'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { startGateway } from '../gateway.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const documents = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

test('discovery names the public address whatever Host a request has', async (t) => {
  for (const url of documents) {
    const plain = await gateway.server.inject({ url })
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const evil = await gateway.server.inject({ url, headers })
    t.is(plain.statusCode, 200, url)
    t.deepEqual(evil.json(), plain.json())
    t.false(evil.body.includes('evil'))
    const urls = evil.body.match(/https?:\/\/[^"/]+/g) ?? []
    t.deepEqual([...new Set(urls)], ['https://farm.example.com'], url)
  }
})

test('the resource document is equal at root and with the path inserted', async (t) => {
  const [root, inserted] = await Promise.all(
    documents.slice(0, 2).map(async (url) => (await gateway.server.inject({ url })).json()),
  )
  t.deepEqual(root, inserted)
  t.like(root, {
    resource: 'https://farm.example.com/mcp',
    authorization_servers: ['https://farm.example.com'],
    scopes_supported: ['service:mcp'],
    bearer_methods_supported: ['header'],
  })
})

for (const algorithm of ['oauth2', 'oidc'] as const) {
  test(`a strict client accepts the ${algorithm} document`, async (t) => {
    const issuer = new URL('https://farm.example.com')
    const reply = await oauth.discoveryRequest(issuer, {
      algorithm,
      async [oauth.customFetch](url) {
        const { body, statusCode, headers } = await gateway.server.inject(new URL(url).pathname)
        const type = String(headers['content-type'])
        return new Response(body, { status: statusCode, headers: { 'content-type': type } })
      },
    })
    const server = await oauth.processDiscoveryResponse(issuer, reply)
    t.deepEqual(server.code_challenge_methods_supported, ['S256'])
    t.deepEqual(server.scopes_supported, ['service:mcp'])
    t.true(server.authorization_response_iss_parameter_supported)
    t.true(server.client_id_metadata_document_supported)
    t.is(server.registration_endpoint, 'https://farm.example.com/oauth/register')
  })
}

test('an issuer with a path has its documents inserted and appended', async (t) => {
  const publicUrl = 'https://example.com/farm'
  const oauthSettings = readOAuthSettings({ FARM_OAUTH_REGISTRATION: 'off' }, publicUrl)
  const { server, stop } = await gateway.startReplica({ publicUrl, oauth: oauthSettings })
  for (const url of [
    '/.well-known/oauth-authorization-server/farm',
    '/.well-known/openid-configuration/farm',
    '/farm/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
  ]) {
    const reply = await server.inject({ url })
    t.is(reply.json().issuer, publicUrl, url)
    t.is(reply.json().registration_endpoint, undefined)
  }
  const resource = await server.inject('/.well-known/oauth-protected-resource/farm/mcp')
  t.is(resource.json().resource, 'https://example.com/farm/mcp')
  const register = { method: 'POST' as const, url: '/oauth/register', payload: {} }
  t.is((await server.inject(register)).statusCode, 404)
  await stop()
})

test('an agent endpoint at a host’s root is refused at the start', (t) => {
  const error = t.throws(() =>
    readOAuthSettings({ FARM_MCP_URL: 'https://mcp.example.com/' }, 'https://farm.example.com'),
  )
  t.regex(error.message, /FARM_MCP_URL.*with a path, like https:\/\/mcp\.example\.com\/mcp/)
})
