import test from 'ava'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

/** Next steps that name a tool which can help, and no other. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

async function hostOf() {
  const { key, accountId } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'developer' })
  const textOf = async (name: string, input: Record<string, unknown>) =>
    (await call(name, input)).text
  const save = async (project: object) =>
    /prj_\w{20}/.exec(await textOf('save_draft', { name: 'a', project }))?.[0] ?? ''
  return { textOf, save, accountId }
}

const template = 'tpl_00000000000000000000'
const draftStep = /\nDraft ids look like prj_…/
const templateStep = /\nTemplate ids look like tpl_…/

test('of two ids the refused one is named', async (t) => {
  const { textOf, save } = await hostOf()
  const draft = await save(film)
  const unknown = 'prj_00000000000000000000'
  t.regex(await textOf('update_template', { template, draft }), templateStep)
  t.regex(await textOf('update_template', { template: '', draft }), templateStep)
  t.regex(await textOf('update_template', { template, draft: unknown }), draftStep)
})

test('a quote of a malformed draft names drafts', async (t) => {
  const { textOf } = await hostOf()
  t.regex(await textOf('quote_render', { draft: '' }), draftStep)
  t.regex(await textOf('quote_bulk', { draft: 'x', items: [{}] }), draftStep)
})

test('a check of an unknown template names templates', async (t) => {
  const { textOf } = await hostOf()
  t.regex(await textOf('check_project', { template }), templateStep)
})

test('what a repair leaves is for edit_draft', async (t) => {
  const { textOf, save } = await hostOf()
  const draft = await save({ visuals: 3 })
  const repaired = await textOf('repair_draft', { draft })
  t.regex(repaired, /^Nothing could be mended[\s\S]*\nNext: edit_draft\.$/)
  const half = await save({ ...film, frameRate: 99, visuals: 3 })
  t.regex(await textOf('repair_draft', { draft: half }), /^Changed:[\s\S]*\nNext: edit_draft\.$/)
})

test('an expired quote of a bulk is quoted as a bulk', async (t) => {
  const { textOf, save, accountId } = await hostOf()
  const draft = await save(film)
  const quoteOf = async () =>
    /qt_\w{20}/.exec(await textOf('quote_bulk', { draft, items: [{}, {}] }))?.[0]
  const quote = await quoteOf()
  const rendered = await textOf('render', { quote, wait: 0 })
  t.regex(rendered, /"id":"blk_\w{20}".*"next":"Call get_bulk with this id\."/)
  const late = await textOf('quote_bulk', { draft, items: [{}] })
  await gateway.db
    .updateTable('quotes')
    .set({ expires_at: new Date(0) })
    .where('account_id', '=', accountId)
    .execute()
  const expired = await textOf('render_bulk', { quote: /qt_\w{20}/.exec(late)?.[0] })
  t.regex(expired, /^quote_expired: [\s\S]*\nCall quote_render again, or quote_bulk for a bulk/)
})

test('only faults of projects lead to their language', async (t) => {
  const { textOf, save } = await hostOf()
  const draft = await save({ visuals: 3 })
  t.regex(await textOf('preview_project', { draft }), /get_schema describes each part\.$/)
  const webhook = { url: 'https://hooks.example.com/a', events: [] }
  t.regex(await textOf('create_webhook', webhook), /\nMend the fields named above\.$/)
})
