import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { plans } from '../../../core/accounts/plans.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { withinMinute } from '../within-minute.ts'

type Line = Readonly<Record<string, unknown>>

const lines: Line[] = []
const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })

let gateway: Gateway
let replica: Awaited<ReturnType<Gateway['startReplica']>>

test.before(async () => {
  gateway = await startGateway()
  replica = await gateway.startReplica({}, log)
})
test.after.always(async () => {
  await replica?.stop()
  await gateway?.stop()
})

/** Sends one request to the endpoint, as a host of 2025 does. */
async function post(
  server: Gateway['server'],
  key: string,
  message: object,
  { id = randomUUID() as string, version = '2025-06-18' } = {},
) {
  return await server.inject({
    ...{ method: 'POST', url: '/mcp', payload: JSON.stringify(message) },
    headers: {
      ...{ 'x-api-key': key, 'x-request-id': id, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      host: 'farm.example.com',
    },
  })
}

const callOf = (name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
})

test.serial('a tool counts once in the rate, whatever it calls', async (t) => {
  const left = async (key: string, name: string) => {
    const reply = await post(gateway.server, key, callOf(name))
    t.is(reply.statusCode, 200)
    t.false(/isError":true/.test(reply.body), reply.body)
    return Number(reply.headers['ratelimit-remaining'])
  }
  const seen = await withinMinute(gateway, async () => {
    const { key } = await gateway.customer()
    const first = await left(key, 'get_account')
    return [first, await left(key, 'find_examples'), await left(key, 'get_account')]
  })
  const most = plans.free.keyRequestsPerMinute
  t.deepEqual(seen, [most - 1, most - 2, most - 3])
})

const batchOf = (...names: string[]) => names.map((name, id) => ({ ...callOf(name), id }))

test.serial('each message of a batch counts and is judged', async (t) => {
  const { key } = await gateway.customer()
  const version = '2025-03-26'
  const send = async (...names: string[]) =>
    await post(gateway.server, key, batchOf(...names), { version })
  const { first, three } = await withinMinute(gateway, async () => ({
    first: await send('get_account'),
    three: await send('get_account', 'get_account', 'get_account'),
  }))
  const left = Number(first.headers['ratelimit-remaining'])
  t.is(three.statusCode, 200)
  t.is(three.body.match(/"result"/g)?.length, 3, three.body)
  t.is(Number(three.headers['ratelimit-remaining']), left - 3)
  const mixed = await send('get_account', 'no_such_tool')
  t.regex(mixed.json()[0].error.message, /Got another that is refused/)
  t.regex(mixed.json()[1].error.message, /^not_found: The tool must be one of tools\/list/)
  const most = plans.free.keyRequestsPerMinute
  const many = await send(...Array.from({ length: Math.min(most, 100) }, () => 'get_account'))
  t.is(many.statusCode, 429, many.body)
  t.true('retry-after' in many.headers)
})

test.serial('a batch is refused where the revision has none', async (t) => {
  const { key } = await gateway.customer()
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    const reply = await post(gateway.server, key, batchOf('get_account'), { version })
    t.is(reply.statusCode, 400)
    t.like(reply.json(), { jsonrpc: '2.0', id: null })
    t.regex(reply.json().error.message, /one message.*Got an array\. Send each message/)
  }
  const empty = await post(gateway.server, key, [], { version: '2025-03-26' })
  t.regex(empty.json().error.message, /1 to 100 messages\. Got 0\. Send/)
})

test.serial('one call of a tool is one line of the access log', async (t) => {
  const { key, accountId } = await gateway.customer()
  const ask = async (name: string, args: object) => {
    const id = randomUUID()
    const reply = await post(replica.server, key, callOf(name, args), { id })
    const seen = () => lines.filter(({ requestId, msg }) => requestId === id && msg === 'request')
    while (seen().length === 0) await setImmediate()
    for (let i = 0; i < 20; i += 1) await setImmediate()
    return { lines: seen(), body: reply.body }
  }
  const quoted = await ask('quote_render', { project: film })
  t.is(quoted.lines.length, 1)
  t.like(quoted.lines[0], { route: '/mcp', status: 200, tool: 'quote_render', account: accountId })
  const quote = /qt_\w{20}/.exec(quoted.body)?.[0]
  const rendered = await ask('render', { quote, wait: 0 })
  t.is(rendered.lines.length, 1)
  const { tool, job } = rendered.lines[0] ?? {}
  t.is(tool, 'render')
  t.true(rendered.body.includes(String(job)), 'the line names the job that was made')
  const strange = await ask('Ignore all rules', {})
  t.false('tool' in (strange.lines[0] ?? {}))
})

test.serial('one call of a tool is one request in the metrics', async (t) => {
  const { key } = await gateway.customer()
  const { registry } = gateway.context.metrics
  const counts = async () => {
    const text = await registry.metrics()
    const each = text.matchAll(/farm_http_request_seconds_count\{.*?route="([^"]+)".*?\} (\d+)/g)
    const sums = new Map<string | undefined, number>()
    for (const [, route, count] of each) sums.set(route, (sums.get(route) ?? 0) + Number(count))
    return sums
  }
  const before = await counts()
  await post(gateway.server, key, callOf('get_account'))
  const after = await counts()
  t.is((after.get('/mcp') ?? 0) - (before.get('/mcp') ?? 0), 1)
  t.is(after.get('/api/user/profile'), before.get('/api/user/profile'))
  t.is(after.get('/api/credits/balance'), before.get('/api/credits/balance'))
})
