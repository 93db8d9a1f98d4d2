import test from 'ava'
import { bearer } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { startHost } from '../oauth/agent-host.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

/** A host whose person has consented, and its connection to the tools. */
async function signedIn(allowance: Record<string, unknown> = {}) {
  const person = await startHost(gateway)
  const { access_token: token } = await person.connect(allowance)
  return { ...person, token, ...(await connect(url, { headers: bearer(token) })) }
}

test('a connected agent has its profile’s tools, whatever it asks for', async (t) => {
  const { token } = await signedIn({ profile: 'readonly' })
  const { client, call } = await connect(url, { headers: bearer(token), profile: 'developer' })
  t.is((await client.listTools()).tools.length, 7)
  t.regex((await call('get_account')).text, /profile readonly/)
})

test('a connected agent renders within its cap; beyond, it learns both numbers', async (t) => {
  const { call, customer } = await signedIn({ profile: 'creator', renderCap: 3 })
  const quoteOf = async (duration: number) => {
    const { text } = await call('quote_render', { project: { ...film, duration } })
    return { text, quote: /qt_\w{20}/.exec(text)?.[0] }
  }
  const small = await quoteOf(2)
  const { facts } = await call('render', { quote: small.quote, wait: 0 })
  t.like(facts, { state: 'queued' })
  const large = await quoteOf(4)
  t.regex(large.text, /Above the cap of this connection, 3 credits/)
  const refused = await call('render', { quote: large.quote, wait: 0 })
  t.true(refused.isError)
  t.regex(refused.text, /3/)
  t.regex(refused.text, /4/)
  t.is((await customer.get('/api/jobs')).json().total, 1)
})

test('an agent’s token is taken by the endpoint alone', async (t) => {
  const { token, call } = await signedIn()
  t.false((await call('get_account')).isError)
  for (const { method, path } of gateway.server.access.filter(
    ({ credentials, path }) => credentials.length > 0 && path.startsWith('/api/'),
  )) {
    const address = path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000')
    const reply = await gateway.server.inject({
      method: method as 'GET',
      url: address,
      headers: bearer(token),
    })
    t.true(
      reply.statusCode === 401 || reply.statusCode === 400,
      `${method} ${path}: ${reply.statusCode}`,
    )
  }
})

test('a disconnected agent is refused at its next call', async (t) => {
  const { token, person, call } = await signedIn()
  t.false((await call('get_account')).isError)
  const headers = bearer(person.accessToken)
  const listed = await gateway.server.inject({ url: '/api/agent-connections', headers })
  const [{ id }] = listed.json().connections
  await gateway.server.inject({ method: 'DELETE', url: `/api/agent-connections/${id}`, headers })
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      ...bearer(token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  t.is(reply.status, 401)
})
