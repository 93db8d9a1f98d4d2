import test from 'ava'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

async function hostOf(options: { profile?: string; era?: 'auto' | 'legacy' } = {}) {
  const customer = await gateway.customer()
  const host = await connect(url, { headers: { 'x-api-key': customer.key }, ...options })
  return { ...customer, ...host }
}

test('the endpoint also answers below a public path, whatever a proxy removes', async (t) => {
  const publicUrl = 'https://example.com/farm'
  const { server, stop } = await gateway.startReplica({
    publicUrl,
    oauth: readOAuthSettings({}, publicUrl),
  })
  for (const path of ['/mcp', '/farm/mcp']) {
    const headers = { host: 'example.com', 'content-type': 'application/json' }
    const reply = await server.inject({ method: 'POST', url: path, headers, payload: '{}' })
    t.is(reply.statusCode, 401, path)
  }
  await stop()
})

for (const era of ['auto', 'legacy'] as const) {
  test(`an agent makes a film from an example to a render: ${era}`, async (t) => {
    const { call, get } = await hostOf({ era })
    t.regex((await call('get_account')).text, /Credits: 1000 available/)
    t.regex((await call('find_examples', { query: 'card' })).text, /card/)
    const saved = await call('save_draft', {
      name: 'Mine',
      project: { ...film, width: 0, quality: '90' },
    })
    t.regex(saved.text, /Draft prj_\w{20}, version 1: \d faults/)
    const draft = /prj_\w{20}/.exec(saved.text)?.[0]
    const edited = await call('edit_draft', {
      draft,
      patch: [
        { op: 'replace', path: '/width', value: 320 },
        { op: 'remove', path: '/quality' },
      ],
    })
    t.regex(edited.text, /version 2: valid, 2 credits/)
    t.like((await call('check_project', { draft })).facts, { valid: true, price: '2 credits' })
    const quote = /qt_\w{20}/.exec((await call('quote_render', { draft })).text)?.[0]
    const rendered = await call('render', { quote, wait: 0 })
    t.like(rendered.facts, { state: 'queued', creditsReserved: 2 })
    t.deepEqual((await call('render', { quote, wait: 0 })).facts, rendered.facts)
    const { id } = rendered.facts as { id: string }
    t.like((await get(`/api/jobs/${id}`)).json(), { id, state: 'queued' })
    t.like((await call('cancel_render', { id })).facts, { state: 'cancelled', creditsCharged: 0 })
  })
}
