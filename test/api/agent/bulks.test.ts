import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL
const asked: string[] = []

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  gateway.server.addHook('onRequest', async (request) => {
    if (request.innerOf) asked.push(request.url.replace(/blk_\w+/, 'ID'))
  })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

async function bulkOf(items: readonly object[]) {
  const { key, post, send } = await gateway.customer(100_000)
  await gateway.db.updateTable('accounts').set({ plan: 'studio' }).execute()
  const made = await post('/api/render/bulk/api-key', { payload: film, items })
  const { bulkId } = made.json()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'automation' })
  const end = () => send('POST', `/api/render/bulk/${bulkId}/cancel`)
  asked.length = 0
  return { bulk: bulkId, call, end }
}

type Facts = {
  readonly state: string
  readonly refused?: number
  readonly more?: number
  readonly nextPage?: number
  readonly items: readonly { index: number; state: string; name: string }[]
}

test.serial('a bulk is read by pages, only the rows that are shown', async (t) => {
  const { bulk, call } = await bulkOf(Array.from({ length: 130 }, () => ({})))
  const first = (await call('get_bulk', { bulk })).facts as Facts
  t.deepEqual(asked, ['/api/render/bulk/ID?page=1&pageSize=25'])
  t.like(first, { state: 'running', more: 105, nextPage: 2 })
  t.deepEqual([first.items.length, first.items[0]?.index], [25, 0])
  const second = (await call('get_bulk', { bulk, page: 2 })).facts as Facts
  t.deepEqual([second.items.length, second.items[0]?.index, second.more], [25, 25, 80])
  const last = (await call('get_bulk', { bulk, page: 6 })).facts as Facts
  t.deepEqual([last.items.length, last.items[0]?.index, last.more], [5, 125, undefined])
})

test.serial('refused items of a bulk are counted', async (t) => {
  const { bulk, call } = await bulkOf([{}, { overrides: { width: 0 } }])
  const { items, refused } = (await call('get_bulk', { bulk })).facts as Facts
  t.deepEqual([items.length, items[0]?.state, refused], [1, 'queued', 1])
})

test.serial('waiting for a bulk listens to the account’s events', async (t) => {
  const { bulk, call, end } = await bulkOf([{}, {}])
  const notes: string[] = []
  const onprogress = ({ message = '' }: { message?: string }) => void notes.push(message)
  const waiting = call('get_bulk', { bulk, wait: 30 }, { onprogress })
  while (!asked.includes('/api/events')) await new Promise(setImmediate)
  await end()
  const { facts } = await waiting
  t.like(facts, { state: 'finished' })
  const count = '/api/render/bulk/ID?pageSize=1'
  t.deepEqual(asked, [count, '/api/events', count, '/api/render/bulk/ID?page=1&pageSize=25'])
  t.regex(notes[0] ?? '', /"queued":2/)
})

test.serial('a wait for a bulk ends in time, also by polling', async (t) => {
  const { bulk, call, end } = await bulkOf([{}])
  const short = await call('get_bulk', { bulk, wait: 1 })
  t.like(short.facts, { state: 'running' })
  const { accountEvents } = gateway.context
  const refusal = accountEvents.refusal.bind(accountEvents)
  accountEvents.refusal = () => new FarmError('too_many_requests', 'There is no place')
  t.teardown(() => {
    accountEvents.refusal = refusal
  })
  asked.length = 0
  const waiting = call('get_bulk', { bulk, wait: 30 })
  while (asked.length < 4) await new Promise(setImmediate)
  await end()
  t.like((await waiting).facts, { state: 'finished' })
})

test.serial('the quote of a bulk counts the items of a warning', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'automation' })
  const visuals = [{ type: 'TEXT', text: '{{ title }}' }]
  const project = { ...film, visuals, variables: { title: 'Default' } }
  const saved = await call('save_draft', { name: 'Titled', project })
  const draft = /prj_\w{20}/.exec(saved.text)?.[0]
  const quoteOf = async (...items: readonly object[]) =>
    (await call('quote_bulk', { draft, items: items.map((variables) => ({ variables })) })).text
  const mistyped = await quoteOf({ titel: 'a' }, { titel: 'b' }, { title: 'c' })
  t.regex(mistyped, /^Quote qt_\w+: 3 of 3 items/)
  t.regex(mistyped, /\nWarnings:\n- \S*titel: 2 items: \S/)
  t.notRegex(await quoteOf({ title: 'a' }), /Warnings/)
})
