import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { EnvError } from '../../runtime/env.ts'
import { queryRange, rangeUntil, readPrometheus } from '../../runtime/prometheus.ts'

async function serve(t: ExecutionContext, body: unknown, status = 200) {
  const asked: { request: IncomingMessage; query: URLSearchParams }[] = []
  const server = createServer(async (request, reply) => {
    asked.push({ request, query: new URLSearchParams(await text(request)) })
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const range = { from: 0, to: 30, step: 15 }

test('credentials in the address become a header and reach no error', (t) => {
  const read = (text: string) => readPrometheus({ FARM_PROMETHEUS: text })
  t.is(readPrometheus({}), undefined)
  t.deepEqual(read('https://prometheus.example.com/base/'), {
    url: 'https://prometheus.example.com/base',
  })
  t.deepEqual(read('http://ada:pass%20word@10.0.0.6:9090'), {
    url: 'http://10.0.0.6:9090',
    authorization: `Basic ${Buffer.from('ada:pass word').toString('base64')}`,
  })
  const error = t.throws(() => read('ftp://ada:secret@example.com'))
  t.regex(error?.message ?? '', /^FARM_PROMETHEUS must be an http/)
  t.false(error?.message.includes('secret'))
})

test('credentials that cannot be sent are refused and never repeated', (t) => {
  for (const credentials of ['ada%zz:secret', 'ada:secret%', ':secret']) {
    const url = `https://${credentials}@10.0.0.6:9090`
    const error = t.throws(() => readPrometheus({ FARM_PROMETHEUS: url }), {
      ...{ instanceOf: EnvError, message: /^FARM_PROMETHEUS must be an http.*user before it/ },
    })
    t.false(error?.message.includes('secret'), credentials)
  }
})

test('a range is asked for in steps, and missing values are null', async (t) => {
  const values = [
    [0, '1.5'],
    [30, 'NaN'],
  ]
  const data = { result: [{ metric: { kind: 'bake' }, values }] }
  const { asked, url } = await serve(t, { status: 'success', data })
  const expr = 'rate(farm_x[$__rate_interval])'
  const lines = await queryRange({ url, authorization: 'Basic eA==' }, { ...range, expr })
  t.deepEqual(lines, [{ labels: { kind: 'bake' }, values: [1.5, null, null] }])
  const [call] = asked
  t.is(call?.request.url, '/api/v1/query_range')
  t.is(call?.request.headers.authorization, 'Basic eA==')
  t.deepEqual(Object.fromEntries(call?.query ?? []), {
    ...{ query: 'rate(farm_x[60s])', start: '0', end: '30', step: '15' },
  })
})

test('a Prometheus that refuses or talks nonsense is said in a sentence', async (t) => {
  const refusing = await serve(t, {}, 500)
  await t.throwsAsync(queryRange({ url: refusing.url }, { ...range, expr: 'up' }), {
    message: 'Prometheus must answer. Got HTTP 500',
  })
  const odd = await serve(t, { data: 'no' })
  await t.throwsAsync(queryRange({ url: odd.url }, { ...range, expr: 'up' }), {
    message: /must answer with a range of values/,
  })
  await t.throwsAsync(queryRange({ url: 'http://127.0.0.1:1' }, { ...range, expr: 'up' }), {
    message: /^Prometheus must answer\. Got: /,
  })
})

test('a range ends at a whole step, within 241 points', (t) => {
  t.deepEqual(rangeUntil(1_000_007_000, 60), { from: 996_405, to: 1_000_005, step: 15 })
  for (const minutes of [5, 60, 1_440, 10_080]) {
    const { from, to, step } = rangeUntil(1_700_000_123_456, minutes)
    t.true((to - from) / step <= 240, `${minutes}`)
    t.is(to % step, 0)
  }
})
