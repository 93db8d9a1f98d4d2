import test from 'ava'
import { type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL
const asked: string[] = []

test.before(async () => {
  gateway = await startGateway()
  gateway.server.addHook('onRequest', async (request) => {
    if (request.innerOf) asked.push(`${request.method} ${request.url}`)
  })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

test('a draft from an example reads that example alone', async (t) => {
  const { key, get } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  asked.length = 0
  const { text } = await call('save_draft', { name: 'Mine', from: 'price-list' })
  t.deepEqual(asked, ['GET /api/library/examples/price-list/content', 'POST /api/projects'])
  const id = /prj_\w{20}/.exec(text)?.[0]
  const draft = (await get(`/api/projects/${id}`)).json()
  const example = await gateway.server.inject('/api/library/examples/price-list/content')
  t.deepEqual(draft.payload, example.json())
  const refused = await call('save_draft', { name: 'Mine', from: 'Not A Slug' })
  t.true(refused.isError)
  t.regex(refused.text, /one of .*price-list.*Got "Not A Slug"\./)
})
