import test from 'ava'
import { createMetrics, PoolLabels } from '../../runtime/metrics.ts'
import { serveMetrics } from '../../runtime/metrics-server.ts'

test('a role reports that it runs, whether it is ready, its metrics', async (t) => {
  let trouble: string | undefined
  const metrics = createMetrics('test')
  const ready = async () => {
    if (trouble !== undefined) throw new Error(trouble)
  }
  const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { metrics, ready })
  t.teardown(server.stop)
  const get = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`)
    return { status: reply.status, text: await reply.text() }
  }
  t.deepEqual(await get('/healthz'), { status: 200, text: 'ok\n' })
  t.deepEqual(await get('/readyz'), { status: 200, text: 'ok\n' })
  t.regex((await get('/metrics')).text, /^farm_ready\{role="test"\} 1$/m)
  t.regex((await get('/metrics')).text, /^farm_nodejs_eventloop_lag_p99_seconds\{role="test"\} /m)

  trouble = 'Postgres is away'
  t.deepEqual(await get('/healthz'), { status: 200, text: 'ok\n' })
  t.deepEqual(await get('/readyz'), { status: 503, text: 'Postgres is away\n' })
  t.regex((await get('/metrics')).text, /^farm_ready\{role="test"\} 0$/m)

  t.is((await get('/')).status, 404)
  t.is((await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: 'POST' })).status, 405)
})

test('a role that cannot tell if it can work says so', async (t) => {
  const metrics = createMetrics('test')
  const ready = () => new Promise<void>(() => undefined)
  const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { metrics, ready })
  t.teardown(server.stop)
  const reply = await fetch(`http://127.0.0.1:${server.port}/readyz`)
  t.is(reply.status, 503)
  t.is(await reply.text(), 'no answer within 2000 ms\n')
})

test('an address already taken is named with its variable', async (t) => {
  const ready = async () => undefined
  const first = { metrics: createMetrics('test'), ready }
  const { port, stop } = await serveMetrics({ host: '127.0.0.1', port: 0 }, first)
  t.teardown(stop)
  const second = { metrics: createMetrics('test'), ready }
  await t.throwsAsync(serveMetrics({ host: '127.0.0.1', port }, second), {
    message: /^FARM_METRICS_ADDRESS must be free on this machine.* Got 127\.0\.0\.1:\d+: /,
  })
})

test('nodes cannot make ever more values of a label', (t) => {
  const pools = new PoolLabels()
  const labels = new Set(Array.from({ length: 1_000 }, (_, index) => pools.of(`pool ${index}`)))
  t.is(labels.size, 51)
  t.is(pools.of('pool 7'), 'pool 7')
  t.is(pools.of('pool 999'), 'other')
})
