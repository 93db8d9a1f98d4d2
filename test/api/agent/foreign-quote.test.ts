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

test('an agent renders quotes of its own connection only', async (t) => {
  const host = await startHost(gateway)
  const hostOf = async () => {
    const { access_token: token } = await host.connect({ profile: 'creator' })
    return await connect(url, { headers: bearer(token) })
  }
  const [own, other] = [await hostOf(), await hostOf()]
  const { text: quoted } = await own.call('quote_render', { project: film })
  const quote = /qt_\w{20}/.exec(quoted)?.[0] ?? ''
  const { id: byKey } = (await host.customer.post('/api/quotes', { payload: film })).json()
  for (const [agent, id] of [
    [other, quote],
    [own, byKey],
  ] as const) {
    const { text, isError } = await agent.call('render', { quote: id, wait: 0 })
    t.true(isError)
    t.regex(text, /^forbidden: An agent must render quotes that its own connection asked for/)
    t.regex(text, /Call quote_render or quote_bulk on this connection, and show the price\.$/)
  }
  t.is((await host.customer.get('/api/jobs')).json().total, 0)
  t.like(await own.call('render', { quote, wait: 0 }), { isError: false })
  t.is((await other.call('render', { quote, wait: 0 })).isError, true)
})

test('people and programs render an agent’s quote as their account’s', async (t) => {
  const host = await startHost(gateway)
  const { access_token: token } = await host.connect({ profile: 'creator' })
  const { call } = await connect(url, { headers: bearer(token) })
  const { text } = await call('quote_render', { project: film })
  const quote = /qt_\w{20}/.exec(text)?.[0] ?? ''
  t.is((await host.customer.post(`/api/quotes/${quote}/render`)).statusCode, 202)
})
