import test from 'ava'
import sharp from 'sharp'
import { toolsOf } from '../../../agent/profiles.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { noise } from '../noise.ts'
import { connect, listen } from './host.ts'

/** Answers of tools about renders, keys and webhooks. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

test('get_render shows the thumbnail, reduced, and no facts beside it', async (t) => {
  const { accountId, key, post } = await gateway.customer()
  const { jobId } = (await post('/api/render/api-key', { payload: film })).json()
  const { call, client } = await connect(url, { headers: { 'x-api-key': key } })
  const without = await call('get_render', { id: jobId, show: true })
  t.like(without, { isError: false, facts: { state: 'queued' } })
  const large = await noise(640, 360)
  t.true(large.length > 27_000)
  await gateway.objects.put('accounts/a/film', Buffer.from('film'))
  await gateway.objects.put('accounts/a/thumb', large)
  const links = { url: 'https://example.com/o', thumbnailUrl: null }
  const result = { duration: 2, size: 9, width: 640, height: 360, format: 'mp4' as const }
  const keys = { outputKey: 'accounts/a/film', thumbnailKey: 'accounts/a/thumb', links }
  const settlement = { to: 'completed', result, ...keys } as const
  const of = gateway.db.updateTable('jobs').where('id', '=', jobId)
  await of.set({ state: 'rendering' }).execute()
  await settleJob(gateway.db, { accountId, jobId, reason: 'test', settlement })
  const { content, structuredContent } = await client.callTool({
    name: 'get_render',
    arguments: { id: jobId, show: true },
  })
  const [words, shown] = content as { type: string; text: string; data: string; mimeType: string }[]
  t.like(JSON.parse(words?.text ?? ''), { id: jobId, state: 'completed' })
  t.is(structuredContent, undefined)
  t.is(shown?.mimeType, 'image/jpeg')
  t.true((shown?.data.length ?? Infinity) <= 36_000)
  const {
    width = 0,
    height = 0,
    format,
  } = await sharp(Buffer.from(shown?.data ?? '', 'base64')).metadata()
  t.is(format, 'jpeg')
  t.true(Math.abs(width / height - 640 / 360) < 0.02)
  t.like(await call('get_render', { id: jobId }), { facts: { state: 'completed' } })
})

test('get_account names the cap of the API key and what is left', async (t) => {
  const { accountId, key, post } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  t.notRegex((await call('get_account')).text, /Its API key/)
  await gateway.db
    .updateTable('api_keys')
    .set({ credit_cap: 10 })
    .where('account_id', '=', accountId)
    .execute()
  await post('/api/render/api-key', { payload: film })
  t.regex(
    (await call('get_account')).text,
    /^Its API key: 10 credits in all of which 8 are left\.$/m,
  )
})

test('list_webhooks lists an endpoint’s deliveries, which redeliver takes', async (t) => {
  const { key, post } = await gateway.customer()
  const made = { url: 'https://example.com/hook', events: ['render.completed'] }
  const { id } = (await post('/api/webhooks', made)).json()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'automation' })
  const list = async (deliveriesOf: string) => await call('list_webhooks', { deliveriesOf })
  t.is((await list(id)).text, 'No deliveries yet.')
  const { text: tested } = await call('test_webhook', { webhook: id })
  const { text } = await list(id)
  const [, delivery = ''] = /^- ([\w-]{36}): render\.completed \(test\) of render /.exec(text) ?? []
  t.true(tested.includes(delivery) && delivery !== '', text)
  t.regex(text, /, pending after 0 attempts$/)
  const stranger = await gateway.customer()
  const other = await connect(url, {
    headers: { 'x-api-key': stranger.key },
    profile: 'automation',
  })
  const refused = await other.call('list_webhooks', { deliveriesOf: id })
  t.true(refused.isError)
  t.regex(refused.text, /^not_found[\s\S]*Webhook ids come from list_webhooks/)
  const early = await call('redeliver', { delivery })
  t.regex(early.text, /^conflict: /)
  t.false((await call('test_webhook', { webhook: id })).isError)
  t.is((await list(id)).text.split('\n').length, 2)
})

test('hosts learn by a hint that quotes may be repeated', (t) => {
  const named = new Map(toolsOf.developer.map((tool) => [tool.name, tool]))
  for (const name of ['quote_render', 'quote_bulk', 'render', 'render_bulk']) {
    t.true(named.get(name)?.hints.idempotentHint, name)
  }
  const withOutput = toolsOf.developer.filter(({ output }) => output).map(({ name }) => name)
  t.deepEqual(withOutput, ['list_renders', 'check_project', 'get_bulk'])
})

test('facts for programs need a tool with an output schema', async (t) => {
  const { accountId, key, post } = await gateway.customer(10_000)
  await gateway.db
    .updateTable('accounts')
    .set({ plan: 'studio' })
    .where('id', '=', accountId)
    .execute()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'developer' })
  const quoteOf = async (more: object) =>
    (await post('/api/quotes', { payload: film, ...more })).json().id
  const [quote, many] = [await quoteOf({}), await quoteOf({ items: [{ name: 'a' }] })]
  const rendered = await call('render', { quote, wait: 0 })
  t.is(rendered.structured, undefined)
  const { id } = { ...rendered.facts }
  const { facts: begun, structured } = await call('render', { quote: many, wait: 0 })
  t.is(structured, undefined)
  for (const [name, args, isTyped] of [
    ['get_render', { id }, false],
    ['cancel_render', { id }, false],
    ['list_renders', {}, true],
    ['check_project', { project: film }, true],
    ['check_project', { project: {} }, true],
    ['get_bulk', { bulk: begun?.id }, true],
  ] as const) {
    const { facts, structured, text } = await call(name, args)
    t.truthy(facts, `${name}: ${text}`)
    t.deepEqual(structured, isTyped ? facts : undefined, name)
  }
})
