import test from 'ava'
import { type Gateway, startGateway } from '../gateway.ts'
import { listen } from './host.ts'
import { asModern, message, type Sent, send } from './raw-messages.ts'

/** Parameters of a wrong type are the sender's fault, and each refusal says which, what and what next. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

/** Parameters of a wrong type, with what is said of the field, the rule and the value. */
const wrongTypes: readonly (readonly [method: string, params: unknown, next: RegExp])[] = [
  ['prompts/get', { name: 5 }, /^invalid_request: params\.name must be a string\. Got 5\. Mend/],
  [
    'prompts/get',
    { name: 'promo', arguments: 'x' },
    /params\.arguments must be an object\. Got "x"/,
  ],
  [
    'prompts/get',
    { name: 'promo', arguments: { subject: 5 } },
    /^invalid_request: params\.arguments\.subject must be a string\. Got 5\. Call prompts\/list/,
  ],
  [
    'prompts/get',
    { name: 'promo', arguments: { subject: 'a', more: [1] } },
    /^invalid_request: params\.arguments\.more must be a string\. Got \[1\]\. Call prompts\/list/,
  ],
  [
    'prompts/get',
    { name: 'nope', arguments: { subject: null } },
    /params\.arguments\.subject must be a string\. Got null\./,
  ],
  [
    'prompts/list',
    { cursor: 5 },
    /^invalid_request: params\.cursor must be a string\. Got 5\. Mend/,
  ],
  ['tools/list', { cursor: {} }, /params\.cursor must be a string\. Got \{\}\. Mend/],
  ['resources/list', { cursor: true }, /params\.cursor must be a string\. Got true\. Mend/],
  ['resources/templates/list', { cursor: [] }, /params\.cursor must be a string\. Got \[\]\. Mend/],
  ['resources/read', { uri: 5 }, /^invalid_request: params\.uri must be a string\. Got 5\. Mend/],
  ['resources/read', {}, /^invalid_request: params\.uri must be given\. Got nothing\. Mend/],
  [
    'tools/call',
    { name: 'get_account', requestState: 5 },
    /^invalid_request: params\.requestState must be a string\. Got 5\. Mend/,
  ],
  [
    'initialize',
    { protocolVersion: 5, capabilities: [], clientInfo: { name: 1, version: '1' } },
    /protocolVersion must be a string\. Got 5\. params\.capabilities must be an object\. Got \[\]\. params\.clientInfo\.name must be a string\. Got 1\. Mend/,
  ],
  [
    'tools/list',
    { _meta: { progressToken: {} } },
    /^invalid_request: params\._meta\.progressToken must be a string or an integer\. Got \{\}\. Mend/,
  ],
  ['ping', { _meta: 5 }, /^invalid_request: params\._meta must be an object\. Got 5\. Mend/],
  ['tools/list', [1], /^invalid_request: params must be an object\. Got \[1\]\. Mend/],
  ['prompts/get', 'x', /^invalid_request: params must be an object\. Got "x"\. Mend/],
]

/** The newest revision has no `initialize`, and an envelope of its own in `_meta`. */
function waysToSend(method: string, params: unknown): readonly Sent[] {
  const legacy = { body: { ...message(method), params } }
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  if (!isObject || method === 'initialize' || '_meta' in params) return [legacy]
  return [legacy, asModern(method, { ...params })]
}

test('a wrong parameter is named with its rule and value', async (t) => {
  const { key } = await gateway.customer()
  for (const [method, params, said] of wrongTypes) {
    const what = `${method} ${JSON.stringify(params)}`
    for (const sent of waysToSend(method, params)) {
      const { status, json } = await send(url, { 'x-api-key': key }, sent)
      t.is(status, 200, `${what}: ${JSON.stringify(json)}`)
      t.is(json.error?.code, -32_602, `${what}: ${JSON.stringify(json)}`)
      t.regex(json.error.message, said, what)
    }
  }
})

test('parameters of a right type are taken', async (t) => {
  const { key } = await gateway.customer()
  for (const [method, params] of [
    ['prompts/get', { name: 'promo', arguments: { subject: 'a', more: 'b' } }],
    ['resources/read', { uri: 'farm://guidelines' }],
    ['tools/list', { _meta: { progressToken: 5 } }],
    ['prompts/list', { unknown: 5 }],
    ['ping', undefined],
  ] as const) {
    const { json } = await send(url, { 'x-api-key': key }, { body: { ...message(method), params } })
    t.truthy(json.result, `${method}: ${JSON.stringify(json)}`)
  }
})
