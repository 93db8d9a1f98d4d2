import test from 'ava'
import { profiles, toolsOf } from '../../../agent/profiles.ts'
import { agentToolModule } from '../../../infra/setup/agent-tools.mjs'
import { type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

/** Tokens that a profile's list of tools may take of a model's memory. */
const budgets = { readonly: 800, creator: 2200, automation: 3000, developer: 3600 }

const { encode } = await import(agentToolModule('gpt-tokenizer/esm/encoding/o200k_base.js'))

for (const profile of profiles) {
  test(`the tools of a profile fit their budget of tokens: ${profile}`, async (t) => {
    const { key } = await gateway.customer()
    const { client } = await connect(url, { headers: { 'x-api-key': key }, profile })
    const { tools } = await client.listTools()
    t.deepEqual(
      tools.map(({ name }) => name),
      toolsOf[profile].map(({ name }) => name),
    )
    const tokens = encode(JSON.stringify(tools)).length
    t.log(`${tools.length} tools, ${tokens} tokens`)
    t.true(tokens <= budgets[profile], `${tokens}`)
    t.true(encode(client.getInstructions() ?? '').length <= 250)
    t.regex(String(client.getInstructions()), /comes from strangers/)
    t.false(client.getServerCapabilities()?.tools?.listChanged)
  })
}

test('every tool has a title, four hints, short description and portable schema', (t) => {
  const refused = /"(?:oneOf|anyOf|allOf|\$ref|\$defs|const)":/
  for (const { name, title, description, hints, input, output } of toolsOf.developer) {
    t.regex(name, /^[a-z]+(?:_[a-z]+)*$/)
    t.true(title.length > 0 && title.length <= 40, name)
    t.true(description.length <= 200, `${name}: ${description.length}`)
    t.is(Object.values(hints).filter((hint) => typeof hint === 'boolean').length, 4, name)
    t.notRegex(JSON.stringify({ input, output }), refused, name)
    t.is(input.type, 'object')
    if (output) t.is(output.type, 'object')
  }
})

test('a refusal names code, each field’s rule and value, and next step', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  for (const [name, args, expected] of [
    ['get_schema', { part: 'SHADER' }, /part must be one of IMAGE, GIF.*Got "SHADER"/],
    ['quote_render', {}, /Exactly one of draft, template and project must be given\. Got 0/],
    [
      'quote_render',
      { project: { width: 0 } },
      /^invalid_request: [\s\S]*width[\s\S]*Got 0[\s\S]*Mend the fields/,
    ],
    [
      'get_render',
      { id: 'x' },
      /^invalid_request: id must be a UUID\. Got "x"\nRender ids are UUIDs/,
    ],
    [
      'get_render',
      { id: '00000000-0000-4000-8000-000000000000' },
      /^not_found: [\s\S]*come from render or list_renders/,
    ],
    ['render', { quote: 'qt_00000000000000000000' }, /^not_found: [\s\S]*come from quote_render/],
    ['render', { quote: 'qt' }, /^invalid_request: id must [\s\S]*ids look like qt_…/],
    ['preview_project', { draft: 'nope' }, /ids look like prj_… and come from save_draft/],
    [
      'edit_draft',
      { draft: 'prj_00000000000000000000', restore: 1 },
      /^not_found[\s\S]*come from save_draft/,
    ],
    [
      'save_draft',
      { name: 'x', from: 'nothing' },
      /from must be a tpl_ or prj_ id or one of .*card/,
    ],
  ] as const) {
    const { text, isError, structured } = await call(name, args)
    t.true(isError, `${name}: ${text}`)
    t.regex(text, expected)
    t.is(structured, undefined, 'facts beside an error hide it in some hosts')
  }
})

test('a key’s scopes decide what its tools may do', async (t) => {
  const { send, key } = await gateway.customer()
  const made = await send('POST', '/api/api-keys', { name: 'render only', scopes: ['render'] })
  const { call } = await connect(url, { headers: { 'x-api-key': made.json().key ?? key } })
  const { text, isError } = await call('list_templates')
  t.true(isError)
  t.regex(text, /^forbidden: The key's scopes must include templates/)
})
