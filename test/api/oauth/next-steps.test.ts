import test from 'ava'
import { startGateway } from '../gateway.ts'
import { form, pkce, startHost } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

type Reply = { readonly json: () => { readonly error: string; readonly error_description: string } }

test('each refusal of tokens says what to do next', async (t) => {
  const host = await startHost(gateway)
  const { server } = gateway
  const own = { client_id: host.clientId }
  const { refresh_token: token } = await host.connect()
  const begun = await host.consent()
  const said = new Set<string>()
  const expect = (reply: Reply, code: string, next: RegExp) => {
    const { error, error_description: text } = reply.json()
    t.is(error, code)
    t.regex(text, next)
    t.false(said.has(text), `said of another fault: ${text}`)
    said.add(text)
  }
  const ask = async (fields: Record<string, string>) => await form(server, '/oauth/token', fields)
  expect(await ask({}), 'invalid_request', /Send grant_type and its parameters/)
  const unnamed = { grant_type: 'refresh_token', refresh_token: 'x' }
  expect(await ask(unnamed), 'invalid_request', /Send client_id/)
  const empty = { grant_type: 'refresh_token', ...own }
  expect(await ask(empty), 'invalid_request', /'refresh_token'\. Send the request again with it/)
  const unknown = { grant_type: 'password', ...own }
  expect(await ask(unknown), 'unsupported_grant_type', /Send authorization_code or refresh_token/)
  const elsewhere = await host.refresh(token, { resource: 'https://example.com/other' })
  expect(elsewhere, 'invalid_target', /Send the resource that the document/)
  const wider = await host.refresh(token, { scope: 'service:mcp admin' })
  expect(wider, 'invalid_scope', /Send the scope service:mcp/)
  const wrong = await host.redeem(begun, { code_verifier: pkce().verifier })
  expect(wrong, 'invalid_grant', /does not match code_challenge\. Send the code_verifier that/)
  const astray = await host.redeem(begun, { redirect_uri: 'https://example.com/' })
  expect(astray, 'invalid_grant', /mismatch\. Send the redirect_uri that/)
  t.is((await host.redeem(begun)).statusCode, 200)
  expect(await host.redeem(begun), 'invalid_grant', /connect again$/)
})

test('a refused sign-in says what to do next as JSON too', async (t) => {
  const host = await startHost(gateway)
  const { asking } = await host.begin()
  for (const [url, next] of [
    ['/oauth/authorize', /'client_id'\. Send the request again with it$/],
    [host.authorizeUrl(asking, { client_id: 'none' }), /register again, then connect again$/],
    [host.authorizeUrl(asking, { redirect_uri: 'https://example.com/' }), /Send the redirect_uri/],
    ['/oauth/authorize/none', /Start again from the app$/],
  ] as const) {
    const reply = await gateway.server.inject(url)
    t.true(reply.statusCode >= 400 && reply.statusCode < 500)
    t.regex(reply.json().error_description, next)
  }
})

test('a body of wrong size or type is refused as OAuth does', async (t) => {
  for (const [path, code, type, shorter] of [
    ['token', 'invalid_request', 'application/x-www-form-urlencoded', /Send only the parameters/],
    ['revoke', 'invalid_request', 'application/x-www-form-urlencoded', /Send only the parameters/],
    ['register', 'invalid_client_metadata', 'application/json', /Leave out or shorten metadata/],
  ] as const) {
    const send = async (contentType: string | undefined, payload: string) => {
      const headers = contentType === undefined ? {} : { 'content-type': contentType }
      const url = `/oauth/${path}`
      return await gateway.server.inject({ method: 'POST', url, headers, payload })
    }
    const large = await send(type, ' '.repeat(17_000))
    t.is(large.statusCode, 413, path)
    t.regex(String(large.headers['content-type']), /^application\/json/)
    t.deepEqual(Object.keys(large.json()), ['error', 'error_description'])
    t.is(large.json().error, code)
    t.regex(large.json().error_description, /^The body must have at most 16384 bytes\. Got more\. /)
    t.regex(large.json().error_description, shorter)
    const other = await send('text/plain', 'x')
    t.is(other.statusCode, 415, path)
    t.is(other.json().error, code)
    t.regex(
      other.json().error_description,
      new RegExp(`^The body must be ${type}\\. .*\\. Send the `),
    )
  }
  const json = { method: 'POST', url: '/oauth/token', payload: {} } as const
  const asJson = await gateway.server.inject(json)
  t.is(asJson.statusCode, 415)
  t.regex(asJson.json().error_description, /Send the parameters as a form$/)
})
