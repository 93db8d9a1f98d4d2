import test from 'ava'
import { film, type Gateway, startGateway } from '../gateway.ts'
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

test.serial('one fault is one, and two are faults', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  const save = async (project: object) =>
    (await call('save_draft', { name: 'Faulty', project })).text
  const visuals = [{ type: 'TEXT', html: 'a' }]
  t.regex(await save({ duration: 'x', visuals }), /, version 1: 1 fault:$/m)
  t.regex(await save({ duration: 'x', width: 'x', visuals }), /, version 1: 2 faults:$/m)
  t.regex(await save({ duration: 1, visuals }), /, version 1: valid, 1 credit$/m)
})

test.serial('the quote of a deleted draft says what became of it', async (t) => {
  const { key, send } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  const id = /prj_\w{20}/.exec(
    (await call('save_draft', { name: 'Mine', project: film })).text,
  )?.[0]
  const quote = /qt_\w{20}/.exec((await call('quote_render', { draft: id })).text)?.[0]
  t.is((await send('DELETE', `/api/projects/${id}`)).statusCode, 200)
  const refused = await call('render', { quote })
  t.true(refused.isError)
  t.regex(refused.text, /^quote_changed: The project must .* It was deleted since/)
  t.regex(
    refused.text,
    /Save the project again with save_draft, call quote_render with the new draft/,
  )
})

test.serial('a stale edit of a draft says how to go on', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  const saved = (await call('save_draft', { name: 'Mine', project: film })).text
  const draft = /prj_\w{20}/.exec(saved)?.[0]
  const patch = [{ op: 'add', path: '/duration', value: 3 }]
  t.false((await call('edit_draft', { draft, patch })).isError)
  for (const change of [{ patch }, { restore: 1 }]) {
    const refused = await call('edit_draft', { draft, ...change, baseVersion: 1 })
    t.true(refused.isError)
    t.regex(refused.text, /^conflict: baseVersion must be the project's version, 2\. Got 1/)
    t.regex(
      refused.text,
      /\nCall edit_draft with that version as baseVersion, or leave baseVersion out\.$/,
    )
  }
  t.false((await call('edit_draft', { draft, patch, baseVersion: 2 })).isError)
})
