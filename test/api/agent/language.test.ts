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

/** Tokens that one part may take of a model's memory, and the list of all. */
const partTokens = 2_200
const listTokens = 1_000

async function host() {
  const customer = await gateway.customer()
  return { ...customer, ...(await connect(url, { headers: { 'x-api-key': customer.key } })) }
}

test('each part fits its tokens and its example can be rendered', async (t) => {
  const { call } = await host()
  // Another key, as each may send 60 requests a minute.
  const { post } = await gateway.customer()
  const { text: list } = await call('get_schema')
  t.true(encode(list).length <= listTokens, `${encode(list).length}`)
  const parts = [...list.matchAll(/^- (\w+) \(/gm)].map(([, part]) => String(part))
  t.true(parts.length >= 26, parts.join())
  for (const part of parts) {
    const { text } = await call('get_schema', { part })
    const tokens = encode(text).length
    t.log(`${part}: ${tokens} tokens`)
    t.true(tokens <= partTokens, `${part}: ${tokens}`)
    const example = JSON.parse(/^Example: (.*)$/m.exec(text)?.[1] ?? '')
    const verdict = await post('/api/render/validate/api-key', requestOf(part, example))
    t.is(verdict.statusCode, 200, `${part}: ${verdict.body}`)
  }
})

type Example = Readonly<Record<string, unknown>>

/** Places an example in a request by what it is. */
function requestOf(part: string, example: Example): object {
  if ('payload' in example) return example
  if (part === 'SCENE') return { payload: { ...film, scenes: [example] } }
  if (part === 'AUDIO') return { payload: { ...film, audios: [example] } }
  if ('captions' in example) return { payload: { ...film, subtitle: example } }
  const isProject = 'visuals' in example || 'scenes' in example
  return { payload: isProject ? example : { ...film, visuals: [example] } }
}

test('a field leads to the part that describes it, by either name', async (t) => {
  const { call } = await host()
  const { text } = await call('get_schema', { part: 'IMAGE' })
  for (const [field, part] of [
    ['filter', 'FILTER'],
    ['cropParams', 'CROP_PARAMS'],
    ['chromaKey', 'CHROMA_KEY'],
    ['zoom', 'ZOOM'],
    ['radius', 'RADIUS'],
    ['condition', 'CONDITION'],
  ]) {
    t.regex(text, new RegExp(`^- ${field}: .*→ ${part}$`, 'm'))
    const found = await call('get_schema', { part: field as string })
    t.is(found.text, (await call('get_schema', { part: part as string })).text)
  }
  const filter = await call('get_schema', { part: 'FILTER' })
  t.regex(filter.text, /^- brightness: a number from -100 to 100$/m)
  const project = await call('get_schema', { part: 'PROJECT' })
  t.regex(project.text, /^- visuals: an array → IMAGE, GIF, VIDEO, TEXT, SVG$/m)
  t.regex(project.text, /^- durationMode: one of auto, fixed$/m)
  t.regex((await call('get_schema', { part: 'STILL' })).text, /^- quality: .*1 to 100$/m)
  t.regex((await call('get_schema', { part: 'PROJECT' })).text, /No \{\{ name \}\} in type/)
})
