import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { startPrometheus } from '../../../infra/local/prometheus.ts'
import { serveMetrics } from '../../../runtime/metrics-server.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

/** Charts of operators by a real Prometheus, which reads the metrics of a real gateway. */

const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
const plain = await startGateway({ operatorApi: 'on' })
const address = await plain.server.listen({ host: '127.0.0.1', port: 0 })
const metrics = await serveMetrics(
  { host: '127.0.0.1', port: 0 },
  { metrics: plain.context.metrics.registry, ready: async () => undefined },
)
const configFile = join(folder, 'prometheus.yml')
await writeFile(
  configFile,
  `global: { scrape_interval: 1s }
scrape_configs:
  - job_name: farm
    static_configs: [{ targets: ['127.0.0.1:${metrics.port}'] }]
`,
)
const prometheus = await startPrometheus({ configFile, dataDir: folder })
const gateway = await plain.startReplica({ operatorApi: 'on', prometheus: { url: prometheus.url } })
test.after.always(async () => {
  await gateway.stop()
  await prometheus.stop()
  await metrics.stop()
  await plain.stop()
  await rm(folder, { recursive: true, force: true })
})

test.serial('a chart shows what Prometheus has read of the roles', async (t) => {
  const { headers } = await addOperator(plain, 'viewer')
  const { get } = callsAs({ ...plain, server: gateway.server }, headers)
  const list = (await get('/charts')).json()
  t.is(list.source, 'prometheus')
  t.deepEqual(
    list.groups.map(({ title }: { title: string }) => title),
    ['fleet', 'jobs', 'customers'],
  )
  t.false((await get('/charts')).body.includes('rate('), 'no query is told')
  for (;;) {
    // The first gateway counts its answers, which Prometheus reads. Those to no socket count as aborted.
    await (await fetch(`${address}/healthz`)).text()
    const reply = await get('/charts/customers-requests-per-second-by-status?minutes=5')
    const { lines, fault, times } = reply.json()
    t.is(fault, null)
    const ok = lines.find(({ label }: { label: string }) => label === '200')
    if (ok?.values.some((value: number | null) => value !== null && value > 0)) {
      t.is(ok.values.length, times.length)
      break
    }
    await sleep(500)
  }
  t.is((await get('/charts/sum(up)')).statusCode, 404)
  t.is((await get('/charts/queued')).statusCode, 404, 'a kept one is none of Prometheus')
})

test.serial('a chart says that Prometheus does not answer', async (t) => {
  const away = await plain.startReplica({
    operatorApi: 'on',
    prometheus: { url: 'http://[::1]:1' },
  })
  const { headers } = await addOperator(plain, 'viewer')
  const { get } = callsAs({ ...plain, server: away.server }, headers)
  const reply = await get('/charts/fleet-depth')
  t.is(reply.statusCode, 200)
  t.regex(reply.json().fault, /^Prometheus must answer/)
  await away.stop()
})
