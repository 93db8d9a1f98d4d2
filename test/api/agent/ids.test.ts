import test from 'ava'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

/** Ids that no route has: an address drops them, and leads to another route. */

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

const render = /^Render ids are UUIDs/
const draft = /^Draft ids look like prj_…/
const template = /^Template ids look like tpl_…/
const webhook = /^Webhook ids come from/

const rows: readonly (readonly [string, (id: string) => object, RegExp])[] = [
  ['get_render', (id) => ({ id }), render],
  ['cancel_render', (id) => ({ id }), render],
  ['render', (quote) => ({ quote }), /^Quote ids look like qt_…/],
  ['cancel_bulk', (bulk) => ({ bulk }), /^Bulk ids look like blk_…/],
  ['list_webhooks', (deliveriesOf) => ({ deliveriesOf }), webhook],
  ['test_webhook', (id) => ({ webhook: id }), webhook],
  ['redeliver', (delivery) => ({ delivery }), /^Delivery ids come from/],
  ['get_template', (id) => ({ template: id }), template],
  ['delete_template', (id) => ({ template: id }), template],
  ['update_template', (id) => ({ template: 'tpl_1', draft: id }), draft],
  ['check_project', (id) => ({ draft: id }), draft],
  ['preview_project', (id) => ({ draft: id }), draft],
  ['edit_draft', (id) => ({ draft: id, patch: [] }), draft],
  ['repair_draft', (id) => ({ draft: id }), draft],
  ['save_template', (id) => ({ draft: id, name: 'a' }), draft],
]

test.serial('empty and dotted ids are refused before any route', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'developer' })
  asked.length = 0
  for (const id of ['', '.', '..']) {
    for (const [name, input, next] of rows) {
      const { text, isError } = await call(name, input(id) as Record<string, unknown>)
      const [rule, step = ''] = text.split('\n')
      t.true(isError, `${name}: ${text}`)
      t.is(rule, `invalid_request: id must be an id. Got ${JSON.stringify(id)}`, name)
      t.regex(step, next, name)
    }
  }
  t.deepEqual(asked, [])
})

test.serial('an empty id beside a project is one origin too many', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  for (const name of ['check_project', 'quote_render', 'preview_project']) {
    const { text, isError } = await call(name, { draft: '', project: film })
    t.true(isError)
    t.regex(text, /Exactly one of draft, template and project must be given\. Got 2\./, name)
  }
  for (const origin of ['draft', 'template']) {
    const { text, isError } = await call('quote_render', { [origin]: '' })
    t.true(isError, text)
  }
})

test.serial('the id of a bulk leads to the tools of bulks', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'automation' })
  for (const [name, instead] of [
    ['get_render', 'get_bulk'],
    ['cancel_render', 'cancel_bulk'],
  ] as const) {
    const { text, isError } = await call(name, { id: 'blk_00000000000000000000' })
    t.true(isError)
    t.regex(text, new RegExp(`^invalid_request: id must be .* Call ${instead} with it\\.$`))
  }
})
