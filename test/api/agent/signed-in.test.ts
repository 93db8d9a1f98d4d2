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

test('an agent learns its total cap and what is left before rendering', async (t) => {
  const { call } = await signedIn({ profile: 'automation', totalCap: 4 })
  t.regex((await call('get_account')).text, /120 credits a render, 4 credits in all .*4 are left/)
  const quoteOf = async (duration: number) => {
    const { text } = await call('quote_render', { project: { ...film, duration } })
    return { text, quote: /qt_\w{20}/.exec(text)?.[0], credits: /: (\d+) credits/.exec(text)?.[1] }
  }
  const first = await quoteOf(3)
  t.notRegex(first.text, /Above/)
  t.false((await call('render', { quote: first.quote, wait: 0 })).isError)
  const left = 4 - Number(first.credits)
  t.is(left, 1, 'the second must not fit')
  t.regex((await call('get_account')).text, new RegExp(`4 credits in all of which ${left} is left`))
  const second = await quoteOf(2)
  const both = `cap of 4 credits in all: it costs up to ${second.credits}, but ${left} is left`
  t.regex(second.text, new RegExp(both))
  t.true((await call('render', { quote: second.quote, wait: 0 })).isError)
  const { text: saved } = await call('save_draft', { name: 'small', project: film })
  const draft = /prj_\w+/.exec(saved)?.[0]
  const bulk = await call('quote_bulk', { draft, items: [{}, {}] })
  t.false(bulk.isError, bulk.text)
  t.regex(
    bulk.text,
    new RegExp(`cap of 4 credits in all: it costs up to \\d+, but ${left} is left`),
  )
})

test('a connection without caps says so', async (t) => {
  const { call } = await signedIn({ profile: 'creator' })
  t.regex((await call('get_account')).text, /120 credits a render, none in all/)
  const customer = await gateway.customer()
  const keyed = await connect(url, { headers: { 'x-api-key': customer.key } })
  t.regex((await keyed.call('get_account')).text, /caps none for a render, none in all/)
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
