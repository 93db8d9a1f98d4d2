import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import test, { type ExecutionContext } from 'ava'
import { readSealKeys } from '../../../runtime/seal.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { listen } from './host.ts'
import { envelope, send, tasksExtension } from './task-host.ts'

/** A host that can ask its person does so before credits are spent. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>
type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }

const yes: Answer = { action: 'accept', content: { agree: true } }
const named = { payload: { ...film, name: 'spring-sale' } }

const quoteOf = async ({ post }: Customer, body: object = named): Promise<string> =>
  (await post('/api/quotes', body)).json().id
const stateOf = async ({ get }: Customer, quote: string) =>
  (await get(`/api/quotes/${quote}`)).json().state

/** A host whose person answers every question so; it remembers what was asked. */
async function hostOf({ key }: Customer, answer: Answer, mode: 'auto' | 'legacy' = 'auto') {
  const asked: string[] = []
  const client = new Client(
    { name: 'test-host', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message)
    return answer
  })
  const address = new URL(url)
  address.searchParams.set('profile', 'automation')
  const requestInit = { headers: { 'x-api-key': key } }
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }))
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    return { text: (content as { text: string }[]).map(({ text }) => text).join('\n'), isError }
  }
  return { asked, call }
}

test('a yes to name, price and length renders, and is asked once', async (t) => {
  const customer = await gateway.customer()
  const quote = await quoteOf(customer)
  const { asked, call } = await hostOf(customer, yes)
  t.regex((await call('render', { quote, wait: 0 })).text, /queued/)
  t.deepEqual(asked, ['Render the film "spring-sale" for 2 credits, 2 s?'])
  t.is(await stateOf(customer, quote), 'used')
  t.regex((await call('render', { quote, wait: 0 })).text, /queued/)
  t.is(asked.length, 1, 'a used quote spends nothing more')
})

for (const answer of [
  { action: 'decline' },
  { action: 'cancel' },
  { action: 'accept', content: { agree: false } },
] as const) {
  test(`a no spends nothing and says so: ${JSON.stringify(answer)}`, async (t) => {
    const customer = await gateway.customer()
    const quote = await quoteOf(customer)
    const { asked, call } = await hostOf(customer, answer)
    const { text, isError } = await call('render', { quote })
    t.falsy(isError)
    t.regex(
      text,
      /^The person said no to quote qt_\w+\. Nothing was rendered and nothing was spent/,
    )
    t.is(asked.length, 1)
    t.is(await stateOf(customer, quote), 'open')
    t.is((await customer.get('/api/jobs')).json().total, 0)
  })
}

test('a bulk is asked for with its sum', async (t) => {
  const customer = await gateway.customer()
  const quote = await quoteOf(customer, { ...named, name: 'Table', items: [{}, {}] })
  const { asked, call } = await hostOf(customer, yes)
  t.regex((await call('render_bulk', { quote })).text, /2 renders, 4 credits held/)
  t.deepEqual(asked, ['Render the bulk "Table" for 4 credits, 4 s in all?'])
})

test('an unknown or expired quote is refused without a question', async (t) => {
  const customer = await gateway.customer()
  const quote = await quoteOf(customer)
  const { asked, call } = await hostOf(customer, yes)
  t.regex((await call('render', { quote: 'qt_00000000000000000000' })).text, /^not_found/)
  const past = { expires_at: new Date(Date.now() - 1000) }
  await gateway.db.updateTable('quotes').set(past).where('id', '=', quote).execute()
  t.regex((await call('render', { quote })).text, /^quote_expired/)
  t.deepEqual(asked, [])
})

test('older hosts cannot be asked, and the quote stands', async (t) => {
  const customer = await gateway.customer()
  const quote = await quoteOf(customer)
  const { asked, call } = await hostOf(customer, yes, 'legacy')
  t.regex((await call('render', { quote, wait: 0 })).text, /queued/)
  t.deepEqual(asked, [])
})

type Result = {
  readonly isError?: boolean
  readonly content?: readonly { readonly text?: string }[]
  readonly resultType?: string
  readonly requestState?: string
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** Calls render as a host that declares these capabilities, with parts of a repeated call. */
async function callRender(
  { key }: Pick<Customer, 'key'>,
  args: object,
  {
    more = {},
    can = { elicitation: {} },
    at = url,
  }: { more?: object; can?: object; at?: URL } = {},
) {
  const { _meta } = envelope()
  const meta = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': can }
  const params = { name: 'render', arguments: args, ...more, _meta: meta }
  const sent = await send(at, { method: 'tools/call', params }, { 'x-api-key': key })
  return { ...sent, result: sent.result as Result | undefined }
}

test('a host without forms is not asked', async (t) => {
  for (const can of [{}, { elicitation: { url: {} } }]) {
    const customer = await gateway.customer()
    const quote = await quoteOf(customer)
    const { result } = await callRender(customer, { quote, wait: 0 }, { can })
    t.is(result?.resultType, 'complete')
    t.is(await stateOf(customer, quote), 'used')
  }
})

function refusesState(t: ExecutionContext, result: Result | undefined) {
  t.true(result?.isError)
  t.regex(
    String(result?.content?.[0]?.text),
    /^invalid_request: requestState must .* nothing was spent\. Call the tool again without/,
  )
}

test('a forged, foreign or missing state never counts as a yes', async (t) => {
  const customer = await gateway.customer()
  const [quote, other] = [await quoteOf(customer), await quoteOf(customer)]
  const inputResponses = { confirm: yes }
  const first = (await callRender(customer, { quote })).result
  t.is(first?.resultType, 'input_required')
  const { requestState = '' } = first ?? {}
  const [head, body = '', mac] = requestState.split('.')
  const forged = JSON.parse(Buffer.from(body, 'base64url').toString())
  forged.p.subject = other
  const forgedBody = Buffer.from(JSON.stringify(forged)).toString('base64url')

  const without = await callRender(customer, { quote }, { more: { inputResponses } })
  t.is(without.result?.resultType, 'input_required')
  const elsewhere = { inputResponses, requestState }
  const moved = await callRender(customer, { quote: other }, { more: elsewhere })
  t.is(moved.result?.resultType, 'input_required')
  const changed = { inputResponses, requestState: `${head}.${forgedBody}.${mac}` }
  const wrong = await callRender(customer, { quote: other }, { more: changed })
  refusesState(t, wrong.result)
  const key = await customer.anotherKey()
  const stolen = await callRender({ key }, { quote }, { more: elsewhere })
  refusesState(t, stolen.result)
  t.deepEqual([await stateOf(customer, quote), await stateOf(customer, other)], ['open', 'open'])
})

test('another replica takes the answer, and only then makes a task', async (t) => {
  const replica = await gateway.startReplica({ rateLimits: 'off' })
  t.teardown(() => replica.stop())
  const at = await listen(replica)
  const customer = await gateway.customer()
  const quote = await quoteOf(customer)
  const can = { elicitation: {}, extensions: { [tasksExtension]: {} } }
  const asked = (await callRender(customer, { quote, wait: 0 }, { can })).result
  t.is(asked?.resultType, 'input_required')
  const more = { inputResponses: { confirm: yes }, requestState: asked?.requestState }
  const { result } = await callRender(customer, { quote, wait: 0 }, { can, more, at })
  t.is(result?.resultType, 'task')
  t.is(await stateOf(customer, quote), 'used')
})

test('a question is answered after the seal key has changed', async (t) => {
  const older = gateway.context.sealKeys
  const newest = readSealKeys({ FARM_SEAL_KEYS: `new:${'n'.repeat(32)}` }, '')
  const changes = { rateLimits: 'off', sealKeys: [...newest, ...older] } as const
  const [rotated, forgetful] = [
    await gateway.startReplica(changes),
    await gateway.startReplica({ ...changes, sealKeys: newest }),
  ]
  t.teardown(async () => {
    await rotated.stop()
    await forgetful.stop()
  })
  const customer = await gateway.customer()
  const quote = await quoteOf(customer)
  const asked = (await callRender(customer, { quote, wait: 0 })).result
  const more = { inputResponses: { confirm: yes }, requestState: asked?.requestState }
  const lost = await callRender(customer, { quote }, { more, at: await listen(forgetful) })
  refusesState(t, lost.result)
  const at = await listen(rotated)
  const { result } = await callRender(customer, { quote, wait: 0 }, { more, at })
  t.is(result?.resultType, 'complete')
  t.is(await stateOf(customer, quote), 'used')
})
