import test from 'ava'
import { agentToolModule } from '../../../infra/setup/agent-tools.mjs'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

const { encode } = await import(agentToolModule('gpt-tokenizer/esm/encoding/o200k_base.js'))
const tokensMost = 10_000

test('each tool’s result on the largest inputs stays below its tokens', async (t) => {
  const { key, post } = await gateway.customer()
  const { call, client } = await connect(url, {
    headers: { 'x-api-key': key },
    profile: 'developer',
  })
  const variables = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`variable${i}`, `value ${i} `.repeat(60)]),
  )
  const payload = { ...film, variables }
  const template = (await post('/api/templates', { name: 'T', payload })).json().id
  const saved = await call('save_draft', { name: 'x', from: 'launch' })
  const draft = /prj_\w{20}/.exec(saved.text)?.[0]
  const faulty = { ...film, visuals: Array.from({ length: 60 }, () => ({ ['x'.repeat(300)]: 1 })) }
  const broken = /prj_\w{20}/.exec(
    (await call('save_draft', { name: 'x', project: faulty })).text,
  )?.[0]
  const { tools } = await client.listTools()
  const given: Readonly<Record<string, readonly object[]>> = {
    get_schema: [{}, { part: 'TEXT' }, { part: 'CUSTOM' }],
    list_renders: [{ limit: 50 }],
    get_template: [{ template }, { template, withProject: true }],
    check_project: [{ draft }, { draft: broken }, { template }],
    quote_render: [{ draft }, { draft: broken }],
    save_draft: [
      { name: 'x', from: 'launch' },
      { name: 'x', from: template },
      { name: 'x', from: 'no' },
    ],
    edit_draft: [{ draft, patch: [] }],
    repair_draft: [{ draft }, { draft: broken }],
    save_template: [{ draft, name: 'T' }],
    get_usage: [{ days: 90 }],
    quote_bulk: [{ template, items: Array.from({ length: 25 }, () => ({ variables: { no: 1 } })) }],
  }
  for (const { name } of tools.filter(({ name }) => name !== 'preview_project')) {
    for (const args of given[name] ?? [{}]) {
      const { text } = await call(name, { ...args })
      const tokens = encode(text).length
      t.log(name, tokens)
      t.true(tokens <= tokensMost, `${name}: ${tokens} tokens`)
    }
  }
  const { text } = await call('get_template', { template })
  t.regex(text, /^- variable0: "value 0 /m)
  t.regex(text, /^- and 1\d\d more$/m)
})

test('a template of Chinese text stays below its tokens', async (t) => {
  const { key, post } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'developer' })
  // Rare characters, which a tokenizer has no words for.
  const rare = Array.from({ length: 12_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
  const variables = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`variable${i}`, rare.slice(i * 60, i * 60 + 60)]),
  )
  const visuals = [{ type: 'TEXT', html: rare.slice(6000, 10_000) }]
  for (const payload of [
    { ...film, visuals: [{ type: 'TEXT', html: rare.slice(0, 4000) }] },
    { ...film, variables, visuals },
  ]) {
    const made = await post('/api/templates', { name: 'T', payload })
    const template = made.json().id
    const { text } = await call('get_template', { template, withProject: true })
    t.true(encode(text).length <= tokensMost, `${encode(text).length} tokens`)
    t.regex(text, /Project: |The project has \d+ bytes/)
  }
})
